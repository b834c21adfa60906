// A ring between the radii 1 and 3.
Mesh.MeshSizeMax = 0.4;
Point(1) = {0, 0, 0};
For i In {0 : 1}
  r = 1 + 2*i;
  Point(10*i + 2) = {r, 0, 0}; Point(10*i + 3) = {0, r, 0}; Point(10*i + 4) = {-r, 0, 0}; Point(10*i + 5) = {0, -r, 0};
  Circle(10*i + 1) = {10*i + 2, 1, 10*i + 3}; Circle(10*i + 2) = {10*i + 3, 1, 10*i + 4};
  Circle(10*i + 3) = {10*i + 4, 1, 10*i + 5}; Circle(10*i + 4) = {10*i + 5, 1, 10*i + 2};
  Curve Loop(i + 1) = {10*i + 1 : 10*i + 4};
EndFor
Plane Surface(1) = {2, 1};
Physical Surface("ring") = {1};
Physical Curve("inner") = {1 : 4};
Physical Curve("outer") = {11 : 14};
