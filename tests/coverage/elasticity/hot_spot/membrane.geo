// A quarter of a round membrane of radius 40 with a hot spot of radius 1.
Point(1) = {0, 0, 0, 0.3}; Point(2) = {1, 0, 0, 0.15}; Point(3) = {0, 1, 0, 0.15}; Point(4) = {40, 0, 0, 8}; Point(5) = {0, 40, 0, 8};
Point(6) = {2, 0, 0, 0.15};
Circle(1) = {2, 1, 3}; Circle(2) = {4, 1, 5};
Line(3) = {1, 2}; Line(4) = {2, 6}; Line(5) = {6, 4}; Line(6) = {1, 3}; Line(7) = {3, 5};
Curve Loop(1) = {3, 1, -6}; Plane Surface(1) = {1};
Curve Loop(2) = {4, 5, 2, -7, -1}; Plane Surface(2) = {2};
Physical Surface("spot") = {1};
Physical Surface("cold") = {2};
Physical Curve("bottom") = {3, 4, 5};
Physical Curve("left") = {6, 7};
