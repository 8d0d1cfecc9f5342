//! Machine code for calls from JavaScript: for each function, a native of the engine's that takes integers, doubles, booleans and
//! null apart, calls the C function and makes the result, without a call into Rust. Where an argument is anything else it jumps to
//! the whole way round (`CodeEntries::call`) before anything has happened; where a result needs the engine, a string or a BigInt, or a
//! callback has thrown, to `CodeEntries::finish`.
//!
//! The code keeps the engine's three words in registers that C preserves: rbx the slots, r12 the context, r13 the number of
//! arguments; r14 is the thread's [`Cells`](crate::thread::Cells) during the call. Arguments are converted right into the registers or
//! stack slots that C expects them in: until the call rax, r10, r11, r14 and xmm8 are nobody's.

use engine::foreign::{CodeEntries, ValueBits, ViewLayout, value_bits};

use crate::abi::{FLOATS, INTEGERS};
use crate::types::{Kind, Signature};

/// Numbers of the registers for integers, in C's order: rdi, rsi, rdx, rcx, r8, r9.
const INTEGER_REGISTERS: [u8; INTEGERS] = [7, 6, 2, 1, 8, 9];
const R10: u8 = 10;
const XMM8: u8 = 8;

/// What conditional jumps depend on: the low half of their opcode.
#[derive(Clone, Copy)]
enum If {
    Overflow = 0x80,
    Below = 0x82,
    AtLeast = 0x83,
    Equal = 0x84,
    NotEqual = 0x85,
    Above = 0x87,
    Parity = 0x8a,
}

/// A place that jumps go to, known when the code is complete.
#[derive(Clone, Copy)]
struct Label(usize);

struct Assembler {
    code: Vec<u8>,
    /// Where labels are.
    places: Vec<Option<usize>>,
    /// Ends of jumps whose distance is still missing.
    jumps: Vec<(usize, Label)>,
    bits: ValueBits,
    /// `None` where typed arrays go the whole way round.
    views: Option<ViewLayout>,
}

impl Assembler {
    fn emit(&mut self, bytes: &[u8]) {
        self.code.extend_from_slice(bytes);
    }

    fn emit_32(&mut self, bytes: &[u8], value: u32) {
        self.emit(bytes);
        self.emit(&value.to_le_bytes());
    }

    fn emit_64(&mut self, bytes: &[u8], value: u64) {
        self.emit(bytes);
        self.emit(&value.to_le_bytes());
    }

    fn label(&mut self) -> Label {
        self.places.push(None);
        Label(self.places.len() - 1)
    }

    fn place(&mut self, label: Label) {
        self.places[label.0] = Some(self.code.len());
    }

    fn jump(&mut self, label: Label) {
        self.emit_32(&[0xe9], 0);
        self.jumps.push((self.code.len(), label));
    }

    fn jump_if(&mut self, condition: If, label: Label) {
        self.emit_32(&[0x0f, condition as u8], 0);
        self.jumps.push((self.code.len(), label));
    }

    /// Writes the distances of jumps.
    fn link(&mut self) {
        for &(end, label) in &self.jumps {
            let place = self.places[label.0].unwrap_or(end);
            let distance = (place as i64 - end as i64) as i32;
            self.code[end - 4..end].copy_from_slice(&distance.to_le_bytes());
        }
        self.jumps.clear();
    }

    /// `mov rax, value`
    fn rax(&mut self, value: u64) {
        self.emit_64(&[0x48, 0xb8], value);
    }

    /// `mov r10, value`
    fn r10(&mut self, value: u64) {
        self.emit_64(&[0x49, 0xba], value);
    }

    /// `cmp rax, r10`
    fn compare_rax_r10(&mut self) {
        self.emit(&[0x4c, 0x39, 0xd0]);
    }

    /// `mov rax, [rbx + ...]`, then compares the argument's tag with `tag`: below are doubles.
    fn load(&mut self, index: usize, tag: u32) {
        self.emit_32(&[0x48, 0x8b, 0x83], 16 + 8 * index as u32);
        // mov r10, rax; shr r10, tag_shift; cmp r10d, tag
        self.emit(&[0x49, 0x89, 0xc2, 0x49, 0xc1, 0xea, self.bits.tag_shift]);
        self.emit_32(&[0x41, 0x81, 0xfa], tag);
    }

    /// The double in rax as an integer in rax; to `slow` where it is none of 64 bits.
    fn truncate(&mut self, slow: Label) {
        // movq xmm8, rax; cvttsd2si rax, xmm8; cmp rax, 1, which overflows for the one value that stands for failure
        self.emit(&[0x66, 0x4c, 0x0f, 0x6e, 0xc0, 0xf2, 0x49, 0x0f, 0x2c, 0xc0, 0x48, 0x83, 0xf8, 0x01]);
        self.jump_if(If::Overflow, slow);
    }

    /// The address of the bytes of the typed array in rax, whose tag is in r10, as an integer in rax. To `slow` where it is anything else, has
    /// no bytes, or where they may move: those of an object without a buffer, and of a small buffer.
    fn view(&mut self, views: ViewLayout, slow: Label) {
        self.emit_32(&[0x41, 0x81, 0xfa], self.bits.object_tag); // cmp r10d, ...
        self.jump_if(If::NotEqual, slow);
        self.emit_64(&[0x49, 0xbe], self.bits.object); // mov r14, ...
        self.emit(&[0x4c, 0x31, 0xf0]); // xor rax, r14
        // The class: mov r10, [rax]; mov r10, [r10]; mov r10, [r10]
        self.emit(&[0x4c, 0x8b, 0x10, 0x4d, 0x8b, 0x12, 0x4d, 0x8b, 0x12]);
        self.emit_64(&[0x49, 0xbb], views.first_class); // mov r11, ...
        self.emit(&[0x4d, 0x29, 0xda]); // sub r10, r11
        self.emit_32(&[0x49, 0x81, 0xfa], (views.last_class - views.first_class) as u32); // cmp r10, ...
        self.jump_if(If::Above, slow);
        // mov r10, [rax + ...]; xor r10, r14; mov r11, r10; shr r11, tag_shift
        self.emit(&[0x4c, 0x8b, 0x50, ViewLayout::BUFFER, 0x4d, 0x31, 0xf2]);
        self.emit(&[0x4d, 0x89, 0xd3, 0x49, 0xc1, 0xeb, self.bits.tag_shift]);
        self.jump_if(If::NotEqual, slow);
        // mov r11, [r10]; mov r11, [r11]; mov r11, [r11]
        self.emit(&[0x4d, 0x8b, 0x1a, 0x4d, 0x8b, 0x1b, 0x4d, 0x8b, 0x1b]);
        self.emit_64(&[0x49, 0xbe], views.buffer_class); // mov r14, ...
        self.emit(&[0x4d, 0x39, 0xf3]); // cmp r11, r14
        self.jump_if(If::NotEqual, slow);
        self.emit(&[0x41, 0xf6, 0x42, ViewLayout::FLAGS, ViewLayout::OUTSIDE]); // test byte [r10 + ...], ...
        self.jump_if(If::Equal, slow);
        self.emit(&[0x48, 0x83, 0x78, ViewLayout::LENGTH, 0]); // cmp qword [rax + ...], 0
        self.jump_if(If::Equal, slow);
        self.emit(&[0x48, 0x8b, 0x40, ViewLayout::DATA]); // mov rax, [rax + ...]
    }

    /// Extends the low bits of eax into a register of 32 bits.
    fn extend(&mut self, kind: Kind, to: u8) {
        let second = match kind {
            Kind::Char | Kind::I8 => 0xbe,
            Kind::U8 | Kind::Bool => 0xb6,
            Kind::I16 => 0xbf,
            Kind::U16 => 0xb7,
            _ => {
                if to >= 8 {
                    self.emit(&[0x41]);
                }
                return self.emit(&[0x89, 0xc0 | (to & 7)]);
            }
        };
        if to >= 8 {
            self.emit(&[0x44]);
        }
        self.emit(&[0x0f, second, 0xc0 | (to & 7) << 3]);
    }

    /// `mov to, rax`
    fn copy_rax(&mut self, to: u8) {
        self.emit(&[if to >= 8 { 0x49 } else { 0x48 }, 0x89, 0xc0 | (to & 7)]);
    }

    /// Puts an argument that is not a float into a register.
    fn integer(&mut self, index: usize, kind: Kind, to: u8, slow: Label) {
        let join = self.label();
        match kind {
            Kind::Bool => {
                self.load(index, self.bits.boolean_tag);
                self.jump_if(If::NotEqual, slow);
                self.extend(kind, to);
            }
            Kind::Char | Kind::I8 | Kind::U8 | Kind::I16 | Kind::U16 | Kind::I32 | Kind::U32 => {
                self.load(index, self.bits.int32_tag);
                self.jump_if(If::Equal, join);
                self.jump_if(If::Above, slow);
                self.truncate(slow);
                self.place(join);
                self.extend(kind, to);
            }
            Kind::Buffer => {
                self.load(index, self.bits.object_tag);
                match self.views {
                    Some(views) => self.view(views, slow),
                    None => self.jump(slow),
                }
                self.copy_rax(to);
            }
            _ => {
                let is_integer = self.label();
                let is_other = self.label();
                let takes_null = matches!(kind, Kind::Ptr | Kind::CString);
                self.load(index, self.bits.int32_tag);
                self.jump_if(If::Equal, is_integer);
                self.jump_if(If::Above, if takes_null { is_other } else { slow });
                self.truncate(slow);
                self.jump(join);
                if takes_null {
                    let is_null = self.label();
                    self.place(is_other);
                    self.r10(self.bits.null);
                    self.compare_rax_r10();
                    self.jump_if(If::Equal, is_null);
                    self.r10(self.bits.undefined);
                    self.compare_rax_r10();
                    self.jump_if(If::Equal, is_null);
                    match self.views {
                        Some(views) => {
                            // mov r10, rax; shr r10, tag_shift
                            self.emit(&[0x49, 0x89, 0xc2, 0x49, 0xc1, 0xea, self.bits.tag_shift]);
                            self.view(views, slow);
                            self.jump(join);
                        }
                        None => self.jump(slow),
                    }
                    self.place(is_null);
                    self.emit(&[0x31, 0xc0]); // xor eax, eax
                }
                self.place(is_integer);
                self.emit(&[0x48, 0x63, 0xc0]); // movsxd rax, eax
                self.place(join);
                self.copy_rax(to);
            }
        }
    }

    /// Puts an argument that is a float into a vector register.
    fn float(&mut self, index: usize, kind: Kind, to: u8, slow: Label) {
        let (is_integer, join) = (self.label(), self.label());
        let (high, field) = (to >= 8, 0xc0 | (to & 7) << 3);
        self.load(index, self.bits.int32_tag);
        self.jump_if(If::Equal, is_integer);
        self.jump_if(If::Above, slow);
        self.emit(&[0x66, if high { 0x4c } else { 0x48 }, 0x0f, 0x6e, field]); // movq to, rax
        self.jump(join);
        self.place(is_integer);
        self.emit(&[0xf2]); // cvtsi2sd to, eax
        if high {
            self.emit(&[0x44]);
        }
        self.emit(&[0x0f, 0x2a, field]);
        self.place(join);
        if kind == Kind::F32 {
            self.emit(&[0xf2]); // cvtsd2ss to, to
            if high {
                self.emit(&[0x45]);
            }
            self.emit(&[0x0f, 0x5a, field | (to & 7)]);
        }
    }

    /// Marks the 32 bits in rax as an integer.
    fn tag_integer(&mut self) {
        self.r10(self.bits.int32);
        self.emit(&[0x4c, 0x09, 0xd0]); // or rax, r10
    }

    /// Makes a number of the integer in rax, which is exact as a double.
    fn number(&mut self, done: Label) {
        let is_double = self.label();
        self.emit_32(&[0x48, 0x3d], i32::MAX as u32); // cmp rax, ...
        self.jump_if(If::Above, is_double);
        self.tag_integer();
        self.jump(done);
        self.place(is_double);
        self.make_double();
    }

    /// Makes a double of the integer in rax.
    fn make_double(&mut self) {
        self.emit(&[0xf2, 0x48, 0x0f, 0x2a, 0xc0, 0x66, 0x48, 0x0f, 0x7e, 0xc0]); // cvtsi2sd xmm0, rax; movq rax, xmm0
    }

    /// Makes the value of C's result in rax.
    fn result(&mut self, kind: Kind, finish: Label) {
        /// Numbers of `u64_fast` and `i64_fast` are below.
        const EXACT: u64 = (1 << 53) - 1;
        let done = self.label();
        match kind {
            Kind::Char | Kind::I8 | Kind::U8 | Kind::I16 | Kind::U16 | Kind::I32 => {
                self.extend(kind, 0);
                self.tag_integer();
            }
            Kind::U32 => {
                self.extend(kind, 0);
                self.number(done);
            }
            Kind::Bool => {
                self.emit(&[0x84, 0xc0, 0x0f, 0x95, 0xc0]); // test al, al; setne al
                self.extend(kind, 0);
                self.r10(self.bits.boolean);
                self.emit(&[0x4c, 0x09, 0xd0]); // or rax, r10
            }
            Kind::Ptr | Kind::Function => {
                let is_address = self.label();
                self.emit(&[0x48, 0x85, 0xc0]); // test rax, rax
                self.jump_if(If::NotEqual, is_address);
                self.rax(self.bits.null);
                self.jump(done);
                self.place(is_address);
                self.emit(&[0x49, 0x89, 0xc2, 0x49, 0xc1, 0xea, 53]); // mov r10, rax; shr r10, 53
                self.jump_if(If::NotEqual, finish);
                self.number(done);
            }
            Kind::U64Fast => {
                self.r10(EXACT);
                self.compare_rax_r10();
                self.jump_if(If::AtLeast, finish);
                self.number(done);
            }
            Kind::I64Fast => {
                let is_small = self.label();
                self.emit(&[0x4c, 0x63, 0xd0, 0x49, 0x39, 0xc2]); // movsxd r10, eax; cmp r10, rax
                self.jump_if(If::Equal, is_small);
                self.r10(EXACT);
                self.emit(&[0x49, 0x01, 0xc2]); // add r10, rax
                self.emit_64(&[0x49, 0xbb], 2 * EXACT); // mov r11, ...
                self.emit(&[0x4d, 0x39, 0xda]); // cmp r10, r11
                self.jump_if(If::Above, finish);
                self.make_double();
                self.jump(done);
                self.place(is_small);
                self.extend(Kind::I32, 0);
                self.tag_integer();
            }
            Kind::F64 | Kind::F32 => {
                let is_nan = self.label();
                if kind == Kind::F32 {
                    self.emit(&[0xf3, 0x0f, 0x5a, 0xc0]); // cvtss2sd xmm0, xmm0
                }
                self.emit(&[0x66, 0x0f, 0x2e, 0xc0]); // ucomisd xmm0, xmm0
                self.jump_if(If::Parity, is_nan);
                self.emit(&[0x66, 0x48, 0x0f, 0x7e, 0xc0]); // movq rax, xmm0
                self.jump(done);
                self.place(is_nan);
                self.rax(self.bits.nan);
            }
            Kind::Void => self.rax(self.bits.undefined),
            _ => self.jump(finish),
        }
        self.place(done);
    }

    /// Gives the registers back that C preserves.
    fn restore(&mut self) {
        // lea rsp, [rbp - 32]; pop r14, r13, r12, rbx, rbp
        self.emit(&[0x48, 0x8d, 0x65, 0xe0, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5b, 0x5d]);
    }

    /// Ends the function by jumping to an entry whose first three arguments are in place.
    fn leave_to(&mut self, entry: usize, record: u64) {
        self.emit_64(&[0x48, 0xb9], record); // mov rcx, ...
        self.rax(entry as u64);
        self.restore();
        self.emit(&[0xff, 0xe0]); // jmp rax
    }
}

/// Adds the code of a function to `code` and gives its offset. `record` is the address of what the entries are given, whose first word is the
/// address of the C function, 0 once that is gone; `cells` is the address of the thread's. With `views` the code takes the addresses of typed
/// arrays itself.
pub(crate) fn emit(
    code: &mut Vec<u8>,
    signature: &Signature,
    record: u64,
    cells: u64,
    entries: CodeEntries,
    views: Option<ViewLayout>,
) -> usize {
    code.resize(code.len().next_multiple_of(16), 0xcc);
    let offset = code.len();
    let mut asm =
        Assembler { code: std::mem::take(code), places: Vec::new(), jumps: Vec::new(), bits: value_bits(), views };
    let (slow, finish) = (asm.label(), asm.label());
    let args = &signature.args;
    let floats = args.iter().filter(|kind| kind.is_float()).count();
    let on_stack = floats.saturating_sub(FLOATS) + (args.len() - floats).saturating_sub(INTEGERS);
    // push rbp; mov rbp, rsp; push rbx, r12, r13, r14
    asm.emit(&[0x55, 0x48, 0x89, 0xe5, 0x53, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56]);
    // mov rbx, rdx; mov r12, rdi; mov r13d, esi
    asm.emit(&[0x48, 0x89, 0xd3, 0x49, 0x89, 0xfc, 0x41, 0x89, 0xf5]);
    let is_quick = !signature.uses_napi() && !args.contains(&Kind::BufferLength);
    if is_quick {
        if on_stack > 0 {
            asm.emit_32(&[0x48, 0x81, 0xec], (8 * on_stack).next_multiple_of(16) as u32); // sub rsp, ...
        }
        if !args.is_empty() {
            asm.emit_32(&[0x81, 0xfe], args.len() as u32); // cmp esi, ...
            asm.jump_if(If::Below, slow);
        }
        let (mut integer, mut float, mut slot) = (0, 0, 0);
        for (index, &kind) in args.iter().enumerate() {
            if kind.is_float() && float < FLOATS {
                asm.float(index, kind, float as u8, slow);
                float += 1;
            } else if !kind.is_float() && integer < INTEGERS {
                asm.integer(index, kind, INTEGER_REGISTERS[integer], slow);
                integer += 1;
            } else {
                if kind.is_float() {
                    asm.float(index, kind, XMM8, slow);
                    asm.emit_32(&[0xf2, 0x44, 0x0f, 0x11, 0x84, 0x24], 8 * slot); // movsd [rsp + ...], xmm8
                } else {
                    asm.integer(index, kind, R10, slow);
                    asm.emit_32(&[0x4c, 0x89, 0x94, 0x24], 8 * slot); // mov [rsp + ...], r10
                }
                slot += 1;
            }
        }
        asm.emit_64(&[0x49, 0xbb], record); // mov r11, ...
        asm.emit(&[0x4d, 0x8b, 0x1b, 0x4d, 0x85, 0xdb]); // mov r11, [r11]; test r11, r11
        asm.jump_if(If::Equal, slow);
        asm.emit_64(&[0x49, 0xbe], cells); // mov r14, ...
        asm.emit(&[0x41, 0xff, 0x06]); // inc dword [r14]
        asm.emit_32(&[0xb8], float as u32); // mov eax, ...: functions with `...` want to know
        asm.emit(&[0x41, 0xff, 0xd3]); // call r11
        asm.emit(&[0x41, 0xff, 0x0e, 0x41, 0x83, 0x7e, 0x04, 0x00]); // dec dword [r14]; cmp dword [r14 + 4], 0
        asm.jump_if(If::NotEqual, finish);
        asm.result(signature.returns, finish);
        asm.emit(&[0x48, 0x89, 0x03, 0xb8, 1, 0, 0, 0]); // mov [rbx], rax; mov eax, 1
        asm.restore();
        asm.emit(&[0xc3]); // ret
        asm.place(finish);
        // mov rdi, r12; mov rsi, rbx; mov rdx, rax
        asm.emit(&[0x4c, 0x89, 0xe7, 0x48, 0x89, 0xde, 0x48, 0x89, 0xc2]);
        asm.leave_to(entries.finish, record);
    }
    asm.place(slow);
    // mov rdi, r12; mov esi, r13d; mov rdx, rbx
    asm.emit(&[0x4c, 0x89, 0xe7, 0x44, 0x89, 0xee, 0x48, 0x89, 0xda]);
    asm.leave_to(entries.call, record);
    asm.link();
    *code = asm.code;
    offset
}
