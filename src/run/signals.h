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

// What there was to do is done, or has failed and said so: the program ends by itself, and who asks
// for its end now hears nothing. Launchers ask all processes for it once one has ended with an
// error.
void note_end();

} // namespace weft
