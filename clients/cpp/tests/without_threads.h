// Lets the start of threads fail, as it does where a limit of the system is reached.
#pragma once

#include <pthread.h>

#include <cstddef>

namespace referee {

// While an object exists, no thread can be started: its stack would be larger than the address
// space.
class WithoutThreads {
  public:
    WithoutThreads() {
        pthread_getattr_default_np(&before_);
        pthread_attr_t huge;
        pthread_attr_init(&huge);
        pthread_attr_setstacksize(&huge, std::size_t{1} << 47);
        pthread_setattr_default_np(&huge);
        pthread_attr_destroy(&huge);
    }
    WithoutThreads(const WithoutThreads&) = delete;
    WithoutThreads& operator=(const WithoutThreads&) = delete;
    ~WithoutThreads() {
        pthread_setattr_default_np(&before_);
        pthread_attr_destroy(&before_);
    }

  private:
    pthread_attr_t before_;
};

}  // namespace referee
