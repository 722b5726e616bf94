/** One value in the form of its device. */
export type EncodedValue = {
  readonly unitId: number;
  readonly offset: number;
} & (
  | { readonly kind: 'COIL'; readonly state: boolean }
  | { readonly kind: 'REGISTERS'; readonly registers: Buffer }
  /** One bit of a register: the mask has it alone set. */
  | { readonly kind: 'BIT'; readonly mask: number; readonly state: boolean }
);
