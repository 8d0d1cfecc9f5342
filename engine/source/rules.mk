# What cargo's build scripts give to make before anything else (`MAKEFILES` in .cargo/config.toml): for the engine's build from source,
# which the build script of mozjs_sys begins in the folder of the results, it sees to it that less is compiled (README.md). Every make
# of that build reads it, the first one, which reads mozjs_sys's makefile.cargo, the part behind `else`. Other packages' makes pass over
# it.
ifeq ($(CARGO_PKG_NAME),mozjs_sys)
ifdef BAO_RESULTS

# irregexp and intgemm are code of others with macros of their own.
bao_engine := builtin builtin/% debugger ds frontend gc jit proxy threading util vm wasm
bao_precompiled = $(addprefix -include-pch $(BAO_RESULTS)/,$(if $(filter $(BAO_PLAIN),$(notdir $<)),,$(strip \
  $(if $(filter $(BAO_RESULTS)/config/external/icu/common,$(CURDIR)),icu-common.pch) \
  $(if $(filter $(BAO_RESULTS)/config/external/icu/i18n,$(CURDIR)),icu-i18n.pch) \
  $(if $(filter $(addprefix $(BAO_RESULTS)/js/src/,$(bao_engine)),$(CURDIR)),js.pch))))

# The compiler of C++, by file. In the place of an object that is left out there is one with a note.
ifdef BAO_CLANG
override CCC = $(if $(filter $(BAO_LEFT_OUT),$(notdir $@)),\
  sh -c 'exec $(CXX) -DUNIT="\"$(basename $(notdir $@))\"" -c $(BAO_SOURCE)/left_out.cpp -o "$$2"' compile,\
  $(CXX) -w $(bao_precompiled))
endif

else

export BAO_RESULTS := $(CURDIR)
export BAO_SOURCE := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))

# No debug information: it is not linked.
MOZ_DEBUG_FLAGS ?= -g0
export MOZ_DEBUG_FLAGS

bao_has = $(if $(filter-out 0,$(words $(foreach program,$1,$(if $(shell command -v $(program)),,missing)))),,yes)

# The overlay needs an engine that clang 19 compiled, and precompiled headers are clang's. Compilers that are named stay.
ifeq ($(CC)$(CXX)$(CPP),)
ifeq ($(call bao_has,clang-19 clang++-19),yes)
CC := clang-19
CXX := clang++-19
CPP := clang-19 -E
export BAO_CLANG := yes

bao_icu := $(SRC_DIR)/intl/icu/source

# Files of ICU that define something before they include do it for the headers, which must be read anew.
export BAO_PLAIN := $(notdir $(shell awk 'FNR == 1 { defines = 0 } /^ *\# *define/ { defines = 1 } \
  /^ *\# *include/ && defines { print FILENAME; defines = 0 }' $(bao_icu)/common/*.cpp $(bao_icu)/i18n/*.cpp))

# The overlay compiles these units, so the archive need not have them. ../overlay/build.rs ends the build if there is no overlay after
# all. An archive that is kept for others is whole.
ifeq ($(TARGET)$(HOST)$(MOZJS_CREATE_ARCHIVE)$(filter 0,$(BAO_ENGINE_OVERLAY)),x86_64-unknown-linux-gnux86_64-unknown-linux-gnu)
ifeq ($(call bao_has,m4 pkg-config patch gzip python3),yes)
export BAO_LEFT_OUT := $(shell sed -n 's/^[a-z.]* \([A-Za-z0-9_]*\).*/\1.o/p' $(BAO_SOURCE)/../overlay/units.txt)
endif
endif

# Headers that many files include are compiled once, when all have been generated.
all: js.pch icu-common.pch icu-i18n.pch
.PHONY: bao-exported
bao-exported: maybe-configure
	$(MAKE) -f Makefile pre-export
	$(MAKE) -f Makefile export

js.pch: bao_folder := js/src/vm
icu-common.pch: bao_folder := config/external/icu/common
icu-i18n.pch: bao_folder := config/external/icu/i18n
js.pch: $(BAO_SOURCE)/js.h
icu-common.pch icu-i18n.pch: $(BAO_SOURCE)/icu.h
js.pch icu-common.pch icu-i18n.pch: bao-exported
	cd $(bao_folder) && $(CXX) -std=gnu++20 $$(sed -n 's/^COMPUTED_CXXFLAGS += //p' backend.mk) -I$(bao_icu)/common -w \
	  -x c++-header $(filter %.h,$^) -o $(BAO_RESULTS)/$@

endif
endif
endif
endif
