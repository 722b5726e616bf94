/** One value in the form of its device. */
export type EncodedValue = {
  readonly unitId: number;
  readonly offset: number;
} & (
  | { readonly kind: 'COIL'; readonly state: boolean }
  /** An array, which has requests of its own. */
  | { readonly kind: 'COILS'; readonly states: readonly boolean[] }
  | { readonly kind: 'REGISTERS'; readonly registers: Buffer }
  /** One bit of a register: the mask has it alone set. */
  | { readonly kind: 'BIT'; readonly mask: number; readonly state: boolean }
);
