// A channel of 2.2 x 0.41 with a cylinder of diameter 0.1, a little below its middle.
SetFactory("OpenCASCADE");
near = 0.0035; // at the cylinder
far = 0.05;

Rectangle(1) = {0, 0, 0, 2.2, 0.41};
Disk(2) = {0.2, 0.2, 0, 0.05};
BooleanDifference(3) = { Surface{1}; Delete; }{ Surface{2}; Delete; };

cylinder() = Curve In BoundingBox {0.1, 0.1, -1, 0.3, 0.3, 1};
inlet() = Curve In BoundingBox {-0.01, -0.01, -1, 0.01, 0.42, 1};
outlet() = Curve In BoundingBox {2.19, -0.01, -1, 2.21, 0.42, 1};
walls() = Curve{:};
walls() -= cylinder();
walls() -= inlet();
walls() -= outlet();

Field[1] = Distance;
Field[1].CurvesList = {cylinder()};
Field[2] = Threshold;
Field[2].InField = 1;
Field[2].SizeMin = near;
Field[2].SizeMax = far;
Field[2].DistMin = 0.02;
Field[2].DistMax = 0.4;
Background Field = 2;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints = 0;

Physical Curve("inlet") = {inlet()};
Physical Curve("outlet") = {outlet()};
Physical Curve("walls") = {walls()};
Physical Curve("cylinder") = {cylinder()};
Physical Surface("fluid") = {3};
