// A plate with a row of holes: a macro that is called in a loop, lists that grow, counted names.
size = 0.25;
holes() = {};
Macro CutOut
  centre = newp; Point(centre) = {cx, 1, 0, size};
  For k In {0:3}
    rim~{k} = newp; Point(rim~{k}) = {cx + r*Cos(k*Pi/2), 1 + r*Sin(k*Pi/2), 0, size/2};
  EndFor
  arcs() = {};
  For k In {0:3}
    n = (k + 1) % 4;
    arc = newc; Circle(arc) = {rim~{k}, centre, rim~{n}};
    arcs() += arc;
  EndFor
  loop = newll; Curve Loop(loop) = {arcs()};
  holes[] += {loop};
Return

length = 5; /* of the plate,
   two wide */ Point(1) = {0, 0, 0, size}; Point(2) = {length, 0, 0, size};
Point(3) = {length, 2, 0, size}; Point(4) = {0, 2, 0, size};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Curve Loop(1) = {1:4};
r = 0.3;
For i In {1:4:1}
  cx = i;
  If (i == 2 && !Exists(everywhere))
    Printf("no hole at %g; // of %g", cx, #holes[]);
  Else
    Call CutOut;
  EndIf
EndFor
Plane Surface(1) = {1, holes()};
If (0)
  Error("never");
EndIf
Physical Surface("plate; with holes") = {1};
Physical Curve("rim") = {1:4};
