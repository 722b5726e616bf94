/** English sentences of errors in drivers and assets, and of conditions that stop a write, by their code. */
export const PLANT_FAULTS = {
  EXPECTED_PID: 'expected a pid without white space and the characters # / + ,',
  EXPECTED_PID_START: 'expected a pid that does not begin with _',
  DRIVER_TYPE_UNKNOWN: '"{type}" is not a driver type; expected one of {types}',
  DRIVER_UNKNOWN: 'unknown driver "{driver}"',
  ASSET_UNKNOWN: 'unknown asset "{asset}"',
  CHANNEL_OF_ASSET_UNKNOWN: 'asset "{asset}": unknown channel "{channel}"',
  CONDITION_VALUE_UNSUITABLE: '{value} is not a {valueType}',
  CONDITION_CHANNEL_UNKNOWN: 'unknown channel {asset} {channel}',
  CONDITION_UNREADABLE: 'cannot read {asset} {channel}:',
  CONDITION_VALUE_OLD: 'the value of {asset} {channel} is {ageMs} ms old; maximum {maximumMs} ms',
  CONDITION_TYPE_CHANGED: 'the type of {asset} {channel} no longer matches the condition',
  CONDITION_VALUE_NAN: '{asset} {channel} is NaN',
  CONDITION_FALSE: '{asset} {channel} is {value}; required: {operator} {required}',
  CONDITION_READ_EARLY: '{asset} {channel} was read {ms} ms before the write obtained its lock',
} as const;
