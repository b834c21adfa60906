// What the program does about signals: Ctrl-C and SIGTERM end it in order, a second one at once.
#pragma once

namespace weft {

// SIGINT, SIGTERM and SIGHUP ask for an end (base/system/interruption.h), unless whoever started
// the program had them ignored (nohup). A second one ends it at once: programs it started are
// stopped and its temporary folders removed. Where nobody comes to a place where it is safe to stop
// (a kernel is compiled, or never comes back) the program is ended too: after a second, or once a
// solve has begun after five, or later where its steps take long. Writing into a closed pipe is an
// error like others. Standard streams that are closed are opened, so that no other file takes their
// place: writing to them fails. To be called before the first thread starts.
void take_signals();

} // namespace weft
