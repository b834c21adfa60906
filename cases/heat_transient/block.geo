// An eighth of a steel block of 60 x 40 x 80, in millimetres: its middle is the origin.
Point(1) = {0, 0, 0};
Point(2) = {30, 0, 0};
Point(3) = {30, 20, 0};
Point(4) = {0, 20, 0};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Curve Loop(1) = {1 : 4};
Plane Surface(1) = {1};
// Returns the top, the volume, then the sides over the curves of the loop.
swept() = Extrude {0, 0, 40} { Surface{1}; };

Physical Volume("block") = {swept(1)};
Physical Surface("cooled") = {swept(0), swept(3), swept(4)};
