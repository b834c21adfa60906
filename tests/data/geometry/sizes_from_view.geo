// Cells' sizes from numbers at places, in a file of their own.
lc = 0.3;
Point(1) = {0, 0, 0, lc}; Point(2) = {1, 0, 0, lc}; Point(3) = {1, 1, 0, lc}; Point(4) = {0, 1, 0, lc};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Curve Loop(1) = {1:4}; Plane Surface(1) = {1};
Merge "sizes_from_view.pos";
Background Mesh View[0];
Mesh.CharacteristicLengthExtendFromBoundary = 0;
Physical Surface("square") = {1};
