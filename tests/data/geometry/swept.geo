// Swept layers, a turned sector, transfinite blocks; sizes come from another file.
Include "swept_sizes.geo";
Point(1) = {1, 0, 0, coarse}; Point(2) = {2, 0, 0, coarse}; Point(3) = {2, 1, 0, fine};
Point(4) = {1, 1, 0, fine};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Curve Loop(1) = {1 ... 4}; Plane Surface(1) = {1};
Transfinite Curve {1, 3} = 5 Using Progression 1.2;
Transfinite Curve {2, -4} = 4 Using Bump 0.5;
Transfinite Surface {1} = {1, 2, 3, 4} Alternate;
Recombine Surface {1} = 45;
up[] = Extrude {0, 0, 1} {
  Surface{1};
  Layers { {2, 3}, {0.3, 1} };
  Recombine;
};
turned[] = Extrude { {0, 1, 0}, {0, 0, 0}, -Pi/6 } { Surface{1}; Layers{4}; Recombine; };
Physical Volume("up", 1) = {up[1]};
Physical Volume("turned", 2) = {turned[1]};
Physical Surface("inflow", 3) = {up[0]};
