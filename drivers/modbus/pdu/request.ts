interface Target {
  readonly unitId: number;
  /** Protocol address of the first entry. */
  readonly offset: number;
}

/** Reads coils (1), discrete inputs (2), holding registers (3) or input registers (4). */
export interface ReadRequest extends Target {
  readonly functionCode: 1 | 2 | 3 | 4;
  readonly quantity: number;
}

/** A write to the device; the function code names its kind. */
export type WriteRequest = Target &
  (
    | { readonly functionCode: 5; readonly state: boolean }
    | { readonly functionCode: 6; readonly register: number }
    | { readonly functionCode: 15; readonly states: readonly boolean[] }
    /** Two bytes for each register, as they go over the wire. */
    | { readonly functionCode: 16; readonly registers: Buffer }
    | { readonly functionCode: 22; readonly andMask: number; readonly orMask: number }
  );

/** A write to single bits of a register. */
export type MaskWrite = Extract<WriteRequest, { readonly functionCode: 22 }>;

export type ModbusRequest = ReadRequest | WriteRequest;

/** Asks a unit who made it: Read Device Identification (MODBUS Application Protocol V1.1b3, 6.21). */
export interface IdentificationRequest {
  readonly functionCode: 43;
  readonly unitId: number;
  /** The basic objects, or the regular ones as well. */
  readonly category: 1 | 2;
  /** Object to begin with. */
  readonly objectId: number;
}

/** Everything that can be sent over a line. */
export type LineRequest = ModbusRequest | IdentificationRequest;
