// The unit square. Wind blows to the upper right, so that the layers lie along the right and the
// upper side; "smooth" is the rest.
layer = 0.1;   // far wider than the layers, whose width is epsilon over the wind

Point(1) = {0, 0, 0};
Point(2) = {1 - layer, 0, 0};
Point(3) = {1, 0, 0};
Point(4) = {1, 1, 0};
Point(5) = {0, 1, 0};
Point(6) = {0, 1 - layer, 0};
Point(7) = {1 - layer, 1 - layer, 0};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 5};
Line(5) = {5, 6};
Line(6) = {6, 1};
Line(7) = {2, 7};
Line(8) = {7, 6};
Curve Loop(1) = {1, 7, 8, 6};
Plane Surface(1) = {1};
Curve Loop(2) = {2, 3, 4, 5, -8, -7};
Plane Surface(2) = {2};

Physical Curve("sides") = {1 : 6};
Physical Surface("smooth") = {1};
Physical Surface("layers") = {2};
