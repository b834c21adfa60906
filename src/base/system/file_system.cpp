#include "base/system/file_system.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <sys/vfs.h>

namespace weft {

namespace {

// Types of file systems that computers share, as statfs(2) or their own headers list them.
constexpr std::array<std::uint32_t, 13> shared_types = {
    0x00006969, // NFS
    0x0000517b, // SMB
    0xff534d42, // CIFS
    0xfe534d42, // SMB2
    0x5346414f, // AFS
    0x73757245, // Coda
    0x01021997, // 9P
    0x65735546, // FUSE: sshfs, GlusterFS, ...
    0x00c36400, // Ceph
    0x0bd00bd0, // Lustre
    0x47504653, // GPFS
    0x19830326, // BeeGFS
    0x7461636f, // OCFS2
};

} // namespace

bool shares_mapped_memory(const std::filesystem::path &folder) {
  struct statfs status {};
  if (statfs(folder.c_str(), &status) != 0)
    return false;
  return std::find(shared_types.begin(), shared_types.end(),
                   static_cast<std::uint32_t>(status.f_type)) == shared_types.end();
}

} // namespace weft
