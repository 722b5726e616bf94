/** English sentences of errors in drivers and assets, by their code. */
export const PLANT_FAULTS = {
  EXPECTED_PID: 'expected a pid without white space and the characters # / + ,',
  EXPECTED_PID_START: 'expected a pid that does not begin with _',
  DRIVER_TYPE_UNKNOWN: '"{type}" is not a driver type; expected one of {types}',
  DRIVER_UNKNOWN: 'unknown driver "{driver}"',
  ASSET_UNKNOWN: 'unknown asset "{asset}"',
  CHANNEL_OF_ASSET_UNKNOWN: 'asset "{asset}": unknown channel "{channel}"',
  CONDITION_VALUE_UNSUITABLE: '{value} is not a {valueType}',
} as const;
