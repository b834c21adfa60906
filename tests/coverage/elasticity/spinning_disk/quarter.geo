// A quarter of a disk of radius 1.
Mesh.MeshSizeMax = 0.15;
Point(1) = {0, 0, 0}; Point(2) = {1, 0, 0}; Point(3) = {0, 1, 0};
Line(1) = {1, 2}; Circle(2) = {2, 1, 3}; Line(3) = {3, 1};
Curve Loop(1) = {1 : 3};
Plane Surface(1) = {1};
Physical Surface("disk") = {1};
Physical Curve("bottom") = {1};
Physical Curve("rim") = {2};
Physical Curve("left") = {3};
