// A quarter of a ring between the radii 1 and 2.
Mesh.MeshSizeMax = 0.25;
Point(1) = {0, 0, 0}; Point(2) = {1, 0, 0}; Point(3) = {2, 0, 0}; Point(4) = {0, 2, 0}; Point(5) = {0, 1, 0};
Line(1) = {2, 3}; Circle(2) = {3, 1, 4}; Line(3) = {4, 5}; Circle(4) = {5, 1, 2};
Curve Loop(1) = {1 : 4};
Plane Surface(1) = {1};
Physical Surface("ring") = {1};
Physical Curve("bottom") = {1};
Physical Curve("left") = {3};
