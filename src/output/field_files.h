// Names of the files of fields in a run's folder: fields_0003.vtu, or of several ranks
// fields_0003.pvtu, which names its pieces fields_0003_r0.vtu, fields_0003_r1.vtu, ...
#pragma once

#include <cstdint>
#include <string>

namespace weft {

// `in_pieces`: one a rank.
std::string field_file(std::int64_t number, bool in_pieces);
bool is_field_file(const std::string &name);

// Of a file in pieces: "fields_0003.pvtu".
std::string piece_of(const std::string &file, int rank);
// The file that a piece is of; empty where the name is not that of a piece.
std::string file_of_piece(const std::string &name);

} // namespace weft
