import { createReason } from '../../../daemon/base/fault-reason.ts';
import { describeScan } from '../../../daemon/channel/discovery.ts';
import type { ProposedAsset } from '../../../daemon/channel/discovery.ts';
import { MODBUS_SCAN_SENTENCES } from '../scan-sentences.ts';
import type { Identification } from './identification.ts';
import type { SunspecMap } from './sunspec.ts';
import type { UnitFinding } from './register-ranges.ts';

/** Scan result of a unit. */
export interface UnitFindings {
  readonly unitId: number;
  readonly identification?: Identification | undefined;
  readonly sunspec?: SunspecMap | undefined;
}

type ModelCode = 'SCAN_MODEL' | Extract<keyof typeof MODBUS_SCAN_SENTENCES, `SCAN_MODEL_${number}`>;

// Together with the unit, this fits the limit of the configuration.
const MAXIMUM_NAME_CHARACTERS = 110;

/** Describes the identification of a device in one line. */
export function describeIdentification(identification: Identification): UnitFinding {
  return { kind: 'IDENTIFICATION', text: Object.values(identification).join(', '), fields: identification };
}

/** Describes the device of a SunSpec map and then each of its models. */
export function describeModels({ base, models, common }: SunspecMap): readonly UnitFinding[] {
  const texts = Object.values(common);
  const device: UnitFinding[] =
    texts.length === 0
      ? []
      : [{ kind: 'SUNSPEC_DEVICE', text: texts.join(', '), fields: { base, ...common } }];
  return [
    ...device,
    ...models.map(({ number, at, length }) => {
      const reason = createReason(MODBUS_SCAN_SENTENCES, codeOf(number), { model: number, at });
      return { kind: 'SUNSPEC_MODEL', ...describeScan(reason), fields: { model: number, at, length } };
    }),
  ];
}

/** Returns the code of a model with its name; of any model if it has none. */
function codeOf(number: number): ModelCode {
  const code = `SCAN_MODEL_${number}`;
  return Object.hasOwn(MODBUS_SCAN_SENTENCES, code) ? (code as ModelCode) : 'SCAN_MODEL';
}

/** Proposes an asset for a unit, named after the device if identified. */
export function toProposedAsset(unit: UnitFindings, isOnly: boolean): ProposedAsset {
  const { unitId, identification = {}, sunspec } = unit;
  const { manufacturer, model } = sunspec?.common ?? {};
  const maker = manufacturer ?? identification['vendorName'];
  const product =
    model ?? identification['modelName'] ?? identification['productName'] ?? identification['productCode'];
  const name = [maker, product].filter((part) => part !== undefined).join(' ');
  const place = `unit ${unitId}`;
  return {
    pid: (product === undefined ? place : isOnly ? product : `${product} ${place}`).toLowerCase(),
    displayName: name === '' ? undefined : `${name.slice(0, MAXIMUM_NAME_CHARACTERS)}, ${place}`,
    parts: sunspec?.models.map((part) => ({
      describes: `SunSpec model ${part.number}`,
      parameters: { unitId, modelAt: part.at, ...part.counts },
    })),
  };
}
