//! C's calling convention on x86-64 (System V): calls of a function whose signature is known at run time, and the entry of
//! functions that C calls. All types of `bun:ffi` are one word, so that is all of the convention that is needed.

use std::arch::naked_asm;

use crate::types::Kind;

/// Registers for integers and addresses.
pub(crate) const INTEGERS: usize = 6;
/// Registers for floats.
pub(crate) const FLOATS: usize = 8;

/// Words of a call, each in its place.
#[derive(Default)]
pub(crate) struct Frame {
    integers: [u64; INTEGERS],
    floats: [u64; FLOATS],
    stack: Vec<u64>,
    integer: usize,
    float: usize,
}

impl Frame {
    /// Adds the next argument.
    pub(crate) fn push(&mut self, kind: Kind, word: u64) {
        if kind.is_float() && self.float < FLOATS {
            self.floats[self.float] = word;
            self.float += 1;
        } else if !kind.is_float() && self.integer < INTEGERS {
            self.integers[self.integer] = word;
            self.integer += 1;
        } else {
            self.stack.push(word);
        }
    }

    /// Calls the function at `target` and gives the word of its result.
    ///
    /// # Safety
    /// There is a function that takes these arguments and returns that.
    pub(crate) unsafe fn call(&self, target: *const (), returns: Kind) -> u64 {
        let mut out = [0; 2];
        // SAFETY: the caller's; the arrays are as long as the code expects.
        unsafe {
            call(
                target,
                self.integers.as_ptr(),
                self.floats.as_ptr(),
                self.stack.as_ptr(),
                self.stack.len(),
                out.as_mut_ptr(),
            );
        }
        out[usize::from(returns.is_float())]
    }
}

#[unsafe(naked)]
unsafe extern "C" fn call(
    target: *const (),
    integers: *const u64,
    floats: *const u64,
    stack: *const u64,
    count: usize,
    out: *mut u64,
) {
    naked_asm!(
        "push rbp",
        "mov rbp, rsp",
        "push rbx",
        "push r12",
        "mov rbx, r9",
        "mov r11, rdi",
        "mov r10, rsi",
        "lea rax, [r8*8 + 15]",
        "and rax, -16",
        "sub rsp, rax",
        "xor eax, eax",
        "2:",
        "cmp rax, r8",
        "jae 3f",
        "mov r9, [rcx + rax*8]",
        "mov [rsp + rax*8], r9",
        "inc rax",
        "jmp 2b",
        "3:",
        "movsd xmm0, [rdx]",
        "movsd xmm1, [rdx + 8]",
        "movsd xmm2, [rdx + 16]",
        "movsd xmm3, [rdx + 24]",
        "movsd xmm4, [rdx + 32]",
        "movsd xmm5, [rdx + 40]",
        "movsd xmm6, [rdx + 48]",
        "movsd xmm7, [rdx + 56]",
        "mov rdi, [r10]",
        "mov rsi, [r10 + 8]",
        "mov rdx, [r10 + 16]",
        "mov rcx, [r10 + 24]",
        "mov r8, [r10 + 32]",
        "mov r9, [r10 + 40]",
        // Functions with `...` want to know how many vector registers are in use.
        "mov eax, 8",
        "call r11",
        "mov [rbx], rax",
        "movsd [rbx + 8], xmm0",
        "lea rsp, [rbp - 16]",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
    )
}

/// Arguments that a callback was called with: the registers as they were, then what is on the stack.
pub(crate) struct Received {
    registers: *const u64,
    stack: *const u64,
    integer: usize,
    float: usize,
    on_stack: usize,
}

impl Received {
    /// # Safety
    /// What [`entry`] passes, while its call lasts.
    pub(crate) unsafe fn new(registers: *const u64, stack: *const u64) -> Received {
        Received { registers, stack, integer: 0, float: 0, on_stack: 0 }
    }

    /// The word of the next argument, of which only the bits of its type count.
    ///
    /// # Safety
    /// C has passed an argument of that type there.
    pub(crate) unsafe fn next(&mut self, kind: Kind) -> u64 {
        let (taken, first, most) =
            if kind.is_float() { (&mut self.float, INTEGERS, FLOATS) } else { (&mut self.integer, 0, INTEGERS) };
        // SAFETY: the caller's.
        unsafe {
            if *taken < most {
                *taken += 1;
                *self.registers.add(first + *taken - 1)
            } else {
                self.on_stack += 1;
                *self.stack.add(self.on_stack - 1)
            }
        }
    }
}

/// Where the stubs of callbacks lead, with the address of their word in r10.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn entry() {
    naked_asm!(
        "push rbp",
        "mov rbp, rsp",
        "sub rsp, 128",
        "mov [rsp], rdi",
        "mov [rsp + 8], rsi",
        "mov [rsp + 16], rdx",
        "mov [rsp + 24], rcx",
        "mov [rsp + 32], r8",
        "mov [rsp + 40], r9",
        "movsd [rsp + 48], xmm0",
        "movsd [rsp + 56], xmm1",
        "movsd [rsp + 64], xmm2",
        "movsd [rsp + 72], xmm3",
        "movsd [rsp + 80], xmm4",
        "movsd [rsp + 88], xmm5",
        "movsd [rsp + 96], xmm6",
        "movsd [rsp + 104], xmm7",
        "mov rdi, [r10]",
        "mov rsi, rsp",
        "lea rdx, [rbp + 16]",
        "call {called}",
        // The caller looks in the one of the two that its type is returned in.
        "movq xmm0, rax",
        "leave",
        "ret",
        called = sym crate::callback::called,
    )
}
