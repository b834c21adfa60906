// Two bars that touch: the left one is 0.04 m long, the right one 0.06 m, both 0.02 m high.
left = 0.04;
right = 0.06;
height = 0.02;
size = 0.005;

Point(1) = {0, 0, 0, size};
Point(2) = {left, 0, 0, size};
Point(3) = {left + right, 0, 0, size};
Point(4) = {left + right, height, 0, size};
Point(5) = {left, height, 0, size};
Point(6) = {0, height, 0, size};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 5};
Line(5) = {5, 6};
Line(6) = {6, 1};
Line(7) = {2, 5}; // where they touch
Curve Loop(1) = {1, 7, 5, 6};
Curve Loop(2) = {2, 3, 4, -7};
Plane Surface(1) = {1};
Plane Surface(2) = {2};

Physical Surface("steel") = {1};
Physical Surface("copper") = {2};
Physical Curve("hot") = {6};
Physical Curve("cold") = {3};
Physical Curve("contact") = {7};
