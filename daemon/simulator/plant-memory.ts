import { EncodeFault } from '../../drivers/modbus/value/codec.ts';
import { encodeWrite } from '../../drivers/modbus/write/encode-write.ts';
import { addressSchema } from '../../drivers/modbus/modbus-address.ts';
import type { ModbusAddress, Table } from '../../drivers/modbus/modbus-address.ts';
import type { PlantMemory } from './modbus-server.ts';
import { PLANT_ASSETS } from './plant-channels.ts';
import type { PlantChannel } from './plant-channels.ts';
import { advancePlant, INITIAL_INPUTS, INITIAL_STATE, readPlant } from './plant-model.ts';
import type { PlantInputs, PlantState, PlantValues } from './plant-model.ts';

/** One value and its address. */
interface AddressedValue {
  readonly address: ModbusAddress;
  readonly source: PlantChannel;
}

/**
 * Contains the plant shared by all protocols, with its registers for a Modbus server.
 *
 * Values change only by `advance` and `apply`, so the registers of one value are always consistent.
 */
export class SimulatedPlant implements PlantMemory {
  readonly #values: readonly AddressedValue[] = PLANT_ASSETS.flatMap(({ channels }) =>
    channels.map((source) => ({ address: addressSchema.parse(source.channel.address), source })),
  );
  readonly #entries = new Map<string, number>();
  #state: PlantState = INITIAL_STATE;
  #inputs: PlantInputs = INITIAL_INPUTS;

  constructor() {
    this.#encodeAll();
  }

  /** Advances the plant in time. */
  advance(elapsedMs: number): void {
    this.#state = advancePlant(this.#state, this.#inputs, elapsedMs);
    this.#encodeAll();
  }

  /** Current values of the instruments. */
  get values(): PlantValues {
    return readPlant(this.#state, this.#inputs);
  }

  /** Sets inputs of the plant. */
  apply(change: Partial<PlantInputs>): void {
    this.#inputs = { ...this.#inputs, ...change };
    this.#encodeAll();
  }

  read(unitId: number, table: Table, offset: number): number | undefined {
    return this.#entries.get(keyOf(unitId, table, offset));
  }

  write(unitId: number, table: Table, offset: number, value: number): boolean {
    // Each input is a single entry, so an entry identifies its input.
    const found = this.#values.find(
      ({ address }) => address.unitId === unitId && address.table === table && address.offset === offset,
    );
    const change = found?.source.toInput?.(value);
    if (change === undefined) return false;
    this.apply(change);
    return true;
  }

  #encodeAll(): void {
    const { values } = this;
    for (const { address, source } of this.#values) this.#encode(address, source.read(values));
  }

  #encode(address: ModbusAddress, value: boolean | number | bigint | string): void {
    const { unitId, table, offset } = address;
    if (table === 'DISCRETE_INPUTS') {
      this.#entries.set(keyOf(unitId, table, offset), Number(value));
      return;
    }
    const encoded = encodeWrite(address, value);
    if (encoded instanceof EncodeFault) throw new RangeError(encoded.message);
    switch (encoded.kind) {
      case 'COIL':
        this.#entries.set(keyOf(unitId, table, offset), Number(encoded.state));
        return;
      case 'COILS':
        for (const [index, state] of encoded.states.entries()) {
          this.#entries.set(keyOf(unitId, table, offset + index), Number(state));
        }
        return;
      case 'BIT': {
        const others = (this.read(unitId, table, offset) ?? 0) & ~encoded.mask;
        this.#entries.set(keyOf(unitId, table, offset), encoded.state ? others | encoded.mask : others);
        return;
      }
      case 'FIELD':
        for (let at = 0; at < encoded.mask.length; at += 2) {
          const key = keyOf(unitId, table, offset + at / 2);
          const others = (this.#entries.get(key) ?? 0) & ~encoded.mask.readUInt16BE(at);
          this.#entries.set(key, others | encoded.bits.readUInt16BE(at));
        }
        return;
      case 'REGISTERS':
        for (let at = 0; at < encoded.registers.length; at += 2) {
          this.#entries.set(keyOf(unitId, table, offset + at / 2), encoded.registers.readUInt16BE(at));
        }
    }
  }
}

function keyOf(unitId: number, table: Table, offset: number): string {
  return `${unitId} ${table} ${offset}`;
}
