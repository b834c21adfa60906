// The section of the benchmark: radius along x, axis along y.
Mesh.MeshSizeMax = 0.08;
s = Sqrt(0.5); h = s + 0.69;
Point(1) = {0, 0, 0}; Point(2) = {1, 0, 0}; Point(3) = {1.4, 0, 0};
Point(4) = {Sqrt(1.4^2 - 0.5), s, 0}; Point(5) = {1, h, 0}; Point(6) = {1, h + 0.4, 0};
Point(7) = {s, h + 0.4, 0}; Point(8) = {s, s, 0};
Line(1) = {2, 3}; Circle(2) = {3, 1, 4}; Line(3) = {4, 5}; Line(4) = {5, 6}; Line(5) = {6, 7}; Line(6) = {7, 8}; Circle(7) = {8, 1, 2};
Curve Loop(1) = {1 : 7};
Plane Surface(1) = {1};
Physical Surface("vessel") = {1};
Physical Curve("bottom") = {1};
Physical Curve("top") = {5};
