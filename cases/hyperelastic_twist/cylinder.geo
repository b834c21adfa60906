// A cylinder of radius 0.5 and height 2.
SetFactory("OpenCASCADE");
Cylinder(1) = {0, 0, 0, 0, 0, 2, 0.5};
Mesh.MeshSizeMax = 0.2;
bottom() = Surface In BoundingBox {-1, -1, -0.01, 1, 1, 0.01};
top() = Surface In BoundingBox {-1, -1, 1.99, 1, 1, 2.01};
Physical Volume("cylinder") = {1};
Physical Surface("bottom") = {bottom()};
Physical Surface("top") = {top()};
