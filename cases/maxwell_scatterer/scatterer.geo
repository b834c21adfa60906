// A dielectric cylinder of radius 1/2 in a square of vacuum.
SetFactory("OpenCASCADE");
fine = 0.16;   // in the cylinder the waves are half as long as outside
coarse = 0.3;
Rectangle(1) = {-2, -2, 0, 4, 4};
Disk(2) = {0, 0, 0, 0.5};
BooleanFragments{ Surface{1}; Delete; }{ Surface{2}; Delete; }
MeshSize{ PointsOf{ Curve{1 : 4}; } } = coarse;
MeshSize{ PointsOf{ Curve{5}; } } = fine;

Physical Surface("cylinder") = {2};
Physical Surface("vacuum") = {3};
Physical Curve("outside") = {1 : 4};
