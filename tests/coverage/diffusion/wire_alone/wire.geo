// Cross-section: wire of radius 2, insulation to radius 3.
Mesh.MeshSizeMax = 0.8;
Point(1) = {0, 0, 0};
For i In {0 : 1}
  r = 2 + i;
  Point(10*i + 2) = {r, 0, 0}; Point(10*i + 3) = {0, r, 0}; Point(10*i + 4) = {-r, 0, 0}; Point(10*i + 5) = {0, -r, 0};
  Circle(10*i + 1) = {10*i + 2, 1, 10*i + 3}; Circle(10*i + 2) = {10*i + 3, 1, 10*i + 4};
  Circle(10*i + 3) = {10*i + 4, 1, 10*i + 5}; Circle(10*i + 4) = {10*i + 5, 1, 10*i + 2};
  Curve Loop(i + 1) = {10*i + 1 : 10*i + 4};
EndFor
Plane Surface(1) = {1};
Point{1} In Surface{1};
Plane Surface(2) = {2, 1};
Physical Surface("wire") = {1};
Physical Surface("insulation") = {2};
Physical Curve("outside") = {11 : 14};
