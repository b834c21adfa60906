// What tests of finite volumes vary: the laws and meshes of discontinuous Galerkin's, of element
// FV.
#pragma once

#include <string>
#include <vector>

#include "support/dg_case.h"

namespace weft {

// Replaces every occurrence.
inline std::string with(std::string text, const std::string &from, const std::string &to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

struct FvCase {
  DgCase of;             // of order 0
  std::string method;    // lines of [conservation_law]
  bool fibres = false;   // the law of fibres_text() instead
  bool pyramids = false; // instead of tetrahedra

  DgSettings settings(bool is_cpu) const {
    DgSettings s = of.settings(is_cpu);
    s.rows.reset();
    s.by_nodes.reset();
    s.node_group.reset();
    return s;
  }
  std::string name() const {
    std::string text;
    for (const char letter :
         of.name() + "_" + method + (fibres ? "fibres" : "") + (pyramids ? "pyramids" : ""))
      text += std::isalnum(letter) ? letter : '_';
    return with(text, "DG0", "FV");
  }
};

// What a method may be.
inline const std::string sharp = "limiter = \"barth_jespersen\"\n",
                         smooth = "limiter = \"venkatakrishnan\"\n",
                         free_gradients = "limiter = \"none\"\n",
                         constant = "reconstruction = \"constant\"\n",
                         corrected = "diffusion = \"corrected\"\n",
                         two_point = "diffusion = \"two_point\"\n";

// Axes of DgCase: cell, shape, order, law, precision, lanes, rows, way, update. Each cell type with
// each way of seeing a facet, the rest in turn.
inline std::vector<FvCase> fv_cases() {
  return {
      {{{0, 1, 0, 0, 0, 2, 0, 0, 0}}, smooth},
      {{{0, 2, 0, 3, 0, 1, 0, 1, 2}}, corrected + sharp},
      {{{0, 0, 0, 0, 1, 3, 0, 2, 4}}, two_point, true},
      {{{1, 1, 0, 2, 0, 1, 0, 0, 2}}, sharp},
      {{{1, 2, 0, 0, 0, 2, 0, 3, 1}}, corrected, true},
      {{{1, 0, 0, 1, 1, 1, 0, 0, 3}}, free_gradients},
      {{{2, 1, 0, 3, 0, 2, 0, 2, 0}}, corrected + smooth},
      {{{2, 0, 0, 2, 1, 2, 0, 1, 2}}, smooth},
      {{{2, 2, 0, 0, 0, 0, 0, 0, 3}}, corrected, true},
      {{{2, 1, 0, 1, 0, 2, 0, 0, 0}}, constant},
      {{{2, 1, 0, 2, 0, 1, 0, 0, 2}}, sharp, false, true},
      {{{2, 0, 0, 0, 0, 2, 0, 1, 4}}, corrected, true, true},
      {{{3, 2, 0, 1, 0, 1, 0, 3, 0}}, sharp},
      {{{3, 1, 0, 3, 0, 2, 0, 0, 2}}, corrected + free_gradients},
      {{{4, 1, 0, 2, 0, 2, 0, 0, 4}}, smooth},
      {{{4, 2, 0, 3, 1, 1, 0, 1, 1}}, corrected + constant},
      {{{5, 1, 0, 1, 0, 1, 0, 0, 2}}, smooth},
      {{{5, 0, 0, 0, 0, 2, 0, 1, 0}}, corrected, true},
      {{{6, 1, 0, 2, 0, 0, 0, 0, 0}}, sharp},
      {{{6, 2, 0, 3, 0, 2, 0, 1, 2}}, corrected + smooth},
  };
}

// Cells with several fields of which one has no flux, a conductivity by region and along a
// direction that varies, and a source with gradients.
inline std::string fibres_text(const FvCase &c) {
  const bool flat = c.of.dim() == 2;
  // Depends on y where the mesh is not periodic: bent facets lie on others with another y.
  const std::string second = c.of.periodic() ? "0.6" : "0.6*y";
  const std::string direction = "[0.8, " + second + (flat ? "]" : ", 0.1]");
  return "[parameters]\nk = " +
         std::string(c.of.mixed() ? "{ soft = 1.0, hard = 3.0 }" : "{ box = 2.0 }") +
         "\n[fields]\nv = { element = \"FV\" }\nw = { element = \"FV\" }\n[auxiliary]\ns = { "
         "element "
         "= \"DG0\", value = \"1 + x*y\" }\n[definitions]\na = \"" +
         direction +
         "\"\nK = \"k*(s*identity + 2*outer(a, a))\"\n[conservation_law]\nflux.v = \"-dot(K, "
         "grad(v))\"\n"
         "source.v = \"v*(1 - v)*(v - 0.1) - w + 0.1*norm(grad(v))^2\"\nsource.w = \"0.3*v - w\"\n"
         "capacity.v = \"1 + s\"\n[boundary." +
         (c.of.value[DgCase::cell] == 5 ? "x0" : "y0") +
         "]\nouter = { v = \"1 + x\" }\n[boundary.all]\nflux = { v = \"0.1*v\" }\n";
}

inline std::string fv_problem_text(const FvCase &c, const std::string &file,
                                   const std::string &cells = {}) {
  std::string text =
      c.fibres ? dg_mesh_text(c.of, file, cells) + fibres_text(c) + "[time]\nend = 1.0\ncfl = 0.5\n"
               : with(dg_problem_text(c.of, file, cells), "\"DG0\"", "\"FV\"");
  if (c.pyramids)
    text = with(text, "cell = \"tetrahedron\"", "cell = \"pyramid\"");
  const std::string table = "[conservation_law]\n";
  if (text.find(table) == std::string::npos)
    return with(text, "[time]\n", table + c.method + "[time]\n");
  return with(text, table, table + c.method);
}

struct FvProblem {
  CaseFolder folder;
  DiscreteProblem problem;

  explicit FvProblem(const FvCase &c, const std::string &cells = {})
      : problem(fv_problem_text(c,
                                c.of.mixed() ? folder.write("mixed.msh",
                                                            c.of.dim() == 2 ? mixed_mesh_text(7)
                                                                            : mixed_mesh_3d_text(3))
                                             : std::string(),
                                cells),
                c.of.value[DgCase::shape] == 2 ? std::function<void(double *)>(bend)
                                               : std::function<void(double *)>()) {}
};

} // namespace weft
