interface Target {
  readonly unitId: number;
  /** Protocol address of the first entry. */
  readonly offset: number;
}

/** Reads coils (1), discrete inputs (2), holding registers (3), input registers (4) or file records (20). */
export interface ReadRequest extends Target {
  readonly functionCode: 1 | 2 | 3 | 4 | 20;
  readonly quantity: number;
  /** For holding registers: sends the read with function code 23, which also writes. */
  readonly readWrite?: ReadWrite | undefined;
}

/** The write in a read with function code 23. */
export interface ReadWrite {
  /** Register that is overwritten with 0; absent: none is written. */
  readonly scratchOffset?: number | undefined;
}

/** A write to the device; the function code determines its type. */
export type WriteRequest = Target &
  (
    | { readonly functionCode: 5; readonly state: boolean }
    | { readonly functionCode: 6; readonly register: number }
    | { readonly functionCode: 15; readonly states: readonly boolean[] }
    /** Two bytes per register, as sent. */
    | { readonly functionCode: 16; readonly registers: Buffer }
    | { readonly functionCode: 22; readonly andMask: number; readonly orMask: number }
  );

/** A write of single bits of a register. */
export type MaskWrite = Extract<WriteRequest, { readonly functionCode: 22 }>;

export type ModbusRequest = ReadRequest | WriteRequest;

/** Read Device Identification (MODBUS Application Protocol V1.1b3, 6.21). */
export interface IdentificationRequest {
  readonly functionCode: 43;
  readonly unitId: number;
  /** Basic objects, or basic and regular objects. */
  readonly category: 1 | 2;
  /** First object. */
  readonly objectId: number;
}

/** Any request that can be sent over a line. */
export type LineRequest = ModbusRequest | IdentificationRequest;
