/* Preloaded into every program of a lab host: uname() reports the kernel release this host booted with. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

int uname(struct utsname *name) {
  long result = syscall(SYS_uname, name);
  if (result != 0) return (int)result;
  int file = open("/run/lab/kernel", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char release[sizeof name->release] = {0};
  ssize_t length = read(file, release, sizeof release - 1);
  close(file);
  if (length <= 0) return 0;
  release[strcspn(release, "\n")] = 0;
  memcpy(name->release, release, sizeof release);
  return 0;
}
