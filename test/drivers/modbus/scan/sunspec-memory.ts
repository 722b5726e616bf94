/** Registers of a device by address. */
export type Registers = ReadonlyMap<number, number>;

/** A model of a SunSpec map: its number, and the registers behind its length. */
export type Model = readonly [number: number, registers: readonly number[]];

/** Returns the registers of a SunSpec map, with its end. */
export function createSunspecMap(base: number, models: readonly Model[]): Registers {
  const words = [0x5375, 0x6e53];
  for (const [number, registers] of models) words.push(number, registers.length, ...registers);
  words.push(0xffff, 0);
  return new Map(words.map((word, index) => [base + index, word]));
}

/** Returns the registers of the common model (SunSpec model 1, 66 registers). */
export function createCommonModel(manufacturer: string, model: string, serialNumber: string): Model {
  return [
    1,
    [
      ...toRegisters(manufacturer, 16),
      ...toRegisters(model, 16),
      ...toRegisters('', 8),
      ...toRegisters('1.2', 8),
      ...toRegisters(serialNumber, 16),
      1,
      0x8000,
    ],
  ];
}

function toRegisters(text: string, length: number): readonly number[] {
  const bytes = Buffer.alloc(2 * length);
  bytes.write(text, 'latin1');
  return Array.from({ length }, (_, index) => bytes.readUInt16BE(2 * index));
}
