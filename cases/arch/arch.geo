// The left half of an arch: a strip of thickness t round y = rise sin(pi x/length).
length = 10;
rise = 0.3;
t = 0.05;
n = 40; // cells along it

Function Edge // of nodes from the pin to the crown, `shift` above the middle line
  first = newp;
  For i In {0 : n}
    x = i/n*length/2;
    slope = rise*Pi/length*Cos(Pi*x/length);
    Point(first + i) = {x - shift*slope/Sqrt(1 + slope^2), rise*Sin(Pi*x/length) + shift/Sqrt(1 + slope^2), 0};
  EndFor
  edge = newl;
  Spline(edge) = {first : first + n};
Return

shift = -t/2;
Call Edge;
bottom = edge;
bottom_first = first;
shift = 0;
Call Edge;
line = edge;
line_first = first;
shift = t/2;
Call Edge;
top = edge;
top_first = first;

low_end = newl;   Line(low_end) = {bottom_first, line_first};
high_end = newl;  Line(high_end) = {line_first, top_first};
low_mid = newl;   Line(low_mid) = {bottom_first + n, line_first + n};
high_mid = newl;  Line(high_mid) = {line_first + n, top_first + n};
Curve Loop(1) = {bottom, low_mid, -line, -low_end};
Plane Surface(1) = {1};
Curve Loop(2) = {line, high_mid, -top, -high_end};
Plane Surface(2) = {2};
Transfinite Curve {bottom, line, top} = n + 1;
Transfinite Curve {low_end, high_end, low_mid, high_mid} = 2;
Transfinite Surface {1, 2};
Recombine Surface {1, 2};

Physical Point("pin") = {line_first};
Physical Curve("middle") = {low_mid, high_mid};
Physical Curve("top") = {top};
Physical Surface("arch") = {1, 2};
