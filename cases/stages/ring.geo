// A quarter of a ring between the radii 1 and 2.
a = 1;
b = 2;

Point(1) = {0, 0, 0};
Point(2) = {a, 0, 0};
Point(3) = {b, 0, 0};
Point(4) = {0, b, 0};
Point(5) = {0, a, 0};
Line(1) = {2, 3};
Circle(2) = {3, 1, 4};
Line(3) = {4, 5};
Circle(4) = {5, 1, 2};
Curve Loop(1) = {1 : 4};
Plane Surface(1) = {1};
Transfinite Curve {1, -3} = 13 Using Progression 1.05;
Transfinite Curve {2, 4} = 21;
Transfinite Surface {1};
Recombine Surface {1};

Physical Curve("bottom") = {1};
Physical Curve("outer") = {2};
Physical Curve("left") = {3};
Physical Curve("inner") = {4};
Physical Surface("ring") = {1};
