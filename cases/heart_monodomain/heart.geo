// A left ventricle, in cm: the wall between two half ellipsoids of revolution about z. The base is
// the plane z = 0, the apex of the outer wall lies at z = -long_out. The case gives the cells' size.
SetFactory("OpenCASCADE");
Mesh.Algorithm3D = 10; // HXT leaves fewer flat cells, whose small volumes shorten explicit steps
radius_in = 2.0;
long_in = 5.5;
radius_out = 3.0;
long_out = 6.5;

Sphere(1) = { 0, 0, 0, 1, -Pi/2, 0, 2*Pi }; // lower half
Sphere(2) = { 0, 0, 0, 1, -Pi/2, 0, 2*Pi };
Dilate { { 0, 0, 0 }, { radius_out, radius_out, long_out } } { Volume{1}; }
Dilate { { 0, 0, 0 }, { radius_in, radius_in, long_in } } { Volume{2}; }
BooleanDifference(3) = { Volume{1}; Delete; } { Volume{2}; Delete; };

Physical Volume("wall") = { 3 };
base() = Surface In BoundingBox { -4, -4, -0.01, 4, 4, 0.01 };
all() = Boundary { Volume{3}; };
Physical Surface("base") = { base() };
Physical Surface("walls") = { all(), -base() };
