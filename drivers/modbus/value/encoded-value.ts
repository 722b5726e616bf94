/** An encoded value. */
export type EncodedValue = {
  readonly unitId: number;
  readonly offset: number;
} & (
  | { readonly kind: 'COIL'; readonly state: boolean }
  /** An array, which has its own requests. */
  | { readonly kind: 'COILS'; readonly states: readonly boolean[] }
  | { readonly kind: 'REGISTERS'; readonly registers: Buffer }
  /** One bit of a register; `mask` has only this bit set. */
  | { readonly kind: 'BIT'; readonly mask: number; readonly state: boolean }
  /** A number in some bits of one or two registers, as sent; see `FieldBits`. */
  | { readonly kind: 'FIELD'; readonly mask: Buffer; readonly bits: Buffer }
);
