// What a case asks of its kernels.
#pragma once

#include "case/case.h"
#include "op/assembly/assembled_operator.h"
#include "op/law/law_rates.h"
#include "op/weak_form/operator_settings.h"

namespace weft {

Precision case_precision(const Case &c);

// What the case says; the rest is open.
OperatorSettings operator_settings(const Case &c);
AssemblySettings assembly_settings(const Case &c);
DgSettings dg_settings(const Case &c);

} // namespace weft
