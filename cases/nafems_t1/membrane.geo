// NAFEMS T1: a quarter of a square membrane with a round hot spot at its centre, in millimetres.
// D = (1, 0) lies on the edge of the spot, on the axis of symmetry.
fine = 0.08;
coarse = 1.5;

Point(1) = {0, 0, 0, fine};
Point(2) = {1, 0, 0, fine};
Point(3) = {10, 0, 0, coarse};
Point(4) = {10, 10, 0, coarse};
Point(5) = {0, 10, 0, coarse};
Point(6) = {0, 1, 0, fine};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 5};
Line(5) = {5, 6};
Line(6) = {6, 1};
Circle(7) = {2, 1, 6};
Curve Loop(1) = {1, 7, 6};
Plane Surface(1) = {1};
Curve Loop(2) = {2 : 5, -7};
Plane Surface(2) = {2};

Physical Curve("bottom") = {1, 2};
Physical Curve("left") = {5, 6};
Physical Surface("spot") = {1};
Physical Surface("plate") = {2};
