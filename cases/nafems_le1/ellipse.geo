// NAFEMS LE1: a quarter of the membrane between two ellipses, in metres.
// D = (2, 0) and C = (3.25, 0) lie on the x axis, A = (0, 1) and B = (0, 2.75) on the y axis.
coarse = 0.12;
fine = 0.03; // round D, where the stress is asked for

Point(1) = {0, 0, 0};
Point(2) = {2, 0, 0, fine};
Point(3) = {3.25, 0, 0, coarse};
Point(4) = {0, 2.75, 0, coarse};
Point(5) = {0, 1, 0, coarse};
Line(1) = {2, 3};
Ellipse(2) = {3, 1, 3, 4};
Line(3) = {4, 5};
Ellipse(4) = {5, 1, 2, 2};
Curve Loop(1) = {1 : 4};
Plane Surface(1) = {1};

Physical Curve("DC") = {1};
Physical Curve("outer") = {2};
Physical Curve("AB") = {3};
Physical Surface("membrane") = {1};
