// A quarter of a strip of half-width 1 with a hole of radius 1/2.
Point(1) = {0, 0, 0}; Point(2) = {0.5, 0, 0, 0.08}; Point(3) = {4, 0, 0, 0.5}; Point(4) = {4, 1, 0, 0.5};
Point(5) = {0, 1, 0, 0.12}; Point(6) = {0, 0.5, 0, 0.025};
Line(1) = {2, 3}; Line(2) = {3, 4}; Line(3) = {4, 5}; Line(4) = {5, 6}; Circle(5) = {6, 1, 2};
Curve Loop(1) = {1 : 5};
Plane Surface(1) = {1};
Physical Surface("plate") = {1};
Physical Curve("bottom") = {1};
Physical Curve("right") = {2};
Physical Curve("left") = {4};
