// The unit square in squares that shrink towards the walls, where the velocity changes fastest.
num = 48;
Point(1) = {0, 0, 0};
Point(2) = {1, 0, 0};
Point(3) = {1, 1, 0};
Point(4) = {0, 1, 0};
For i In {1 : 4}
  Line(i) = {i, i % 4 + 1};
  Transfinite Curve {i} = num + 1 Using Bump 0.15;
EndFor
Curve Loop(1) = {1 : 4};
Plane Surface(1) = {1};
Transfinite Surface {1};
Recombine Surface {1};

Physical Curve("walls") = {1, 2, 4};
Physical Curve("lid") = {3};
Physical Surface("fluid") = {1};
