// A section through two layers of an aquifer, sand over loam, that dip to the right. Water enters
// at "inlet" and leaves at "outlet"; "closed" are the lines above and below.
length = 10;
thickness = 1;        // of each layer
dip = 15*Pi/180;

cx = Cos(dip); cy = -Sin(dip);                       // along the layers
nx = thickness*Sin(dip); ny = thickness*Cos(dip);    // across them, upward
Point(1) = {-nx, -ny, 0};
Point(2) = {length*cx - nx, length*cy - ny, 0};
Point(3) = {length*cx, length*cy, 0};
Point(4) = {length*cx + nx, length*cy + ny, 0};
Point(5) = {nx, ny, 0};
Point(6) = {0, 0, 0};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 5};
Line(5) = {5, 6};
Line(6) = {6, 1};
Line(7) = {6, 3};
Curve Loop(1) = {7, 3, 4, 5};
Plane Surface(1) = {1};
Curve Loop(2) = {1, 2, -7, 6};
Plane Surface(2) = {2};

Physical Curve("inlet") = {5, 6};
Physical Curve("outlet") = {2, 3};
Physical Curve("closed") = {1, 4};
Physical Surface("sand") = {1};
Physical Surface("loam") = {2};
