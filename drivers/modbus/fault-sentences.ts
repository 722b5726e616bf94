/** English sentences of errors in Modbus, by their code. */
export const MODBUS_FAULTS = {
  BITS_ONLY_BOOLEAN: '{table} holds single bits; expected BOOLEAN, or no dataType',
  BITS_WITHOUT_BIT: 'only registers have bits; {table} is addressed by offset',
  DATA_TYPE_MISSING: 'is missing; expected the type of the values in {table}',
  BIT_MISSING: 'is missing; a BOOLEAN in a register needs its bit, 0..15',
  BIT_ONLY_OF_BOOLEAN: 'only BOOLEAN has a bit, not {type}',
  LENGTH_MISSING: 'is missing; {type} needs its length in bytes',
  VALUE_TYPE_UNSUITABLE: '{type} cannot be {valueType}; expected {valueTypes}',
  VALUE_TYPE_OF_ARRAY_UNSUITABLE: 'an array of {type} cannot be {valueType}; expected {valueTypes}',
  TABLE_NOT_WRITABLE: '{table} cannot be written; expected COILS or HOLDING_REGISTERS, or type READ',
} as const;
