import type { ProposedAsset } from '../../../daemon/channel/discovery.ts';
import type { Identification } from './identification.ts';
import type { SunspecMap } from './sunspec.ts';
import type { UnitFinding } from './register-ranges.ts';

/** Scan result of a unit. */
export interface UnitFindings {
  readonly unitId: number;
  readonly identification?: Identification | undefined;
  readonly sunspec?: SunspecMap | undefined;
}

// SunSpec Information Model Reference; the models of inverters, meters and batteries.
const MODEL_NAMES: Readonly<Record<number, string>> = {
  1: 'common',
  101: 'inverter, single phase',
  102: 'inverter, split phase',
  103: 'inverter, three phases',
  111: 'inverter, single phase, floating point',
  112: 'inverter, split phase, floating point',
  113: 'inverter, three phases, floating point',
  120: 'nameplate ratings',
  121: 'basic settings',
  122: 'extended measurements and status',
  123: 'immediate controls',
  124: 'basic storage controls',
  160: 'inverter inputs',
  201: 'meter, single phase',
  202: 'meter, split phase',
  203: 'meter, three phases, wye',
  204: 'meter, three phases, delta',
  211: 'meter, single phase, floating point',
  212: 'meter, split phase, floating point',
  213: 'meter, three phases, wye, floating point',
  214: 'meter, three phases, delta, floating point',
  701: 'DER measurements',
  702: 'DER capacity',
  703: 'DER entering service',
  704: 'DER controls',
  705: 'DER volt-var curves',
  706: 'DER volt-watt curves',
  707: 'DER trip curves, low voltage',
  708: 'DER trip curves, high voltage',
  709: 'DER trip curves, low frequency',
  710: 'DER trip curves, high frequency',
  711: 'DER frequency droop',
  712: 'DER watt-var curves',
  713: 'DER storage capacity',
};

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
      const name = MODEL_NAMES[number];
      const text = `model ${number}${name === undefined ? '' : ` (${name})`} at ${at}`;
      return { kind: 'SUNSPEC_MODEL', text, fields: { model: number, at, length } };
    }),
  ];
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
