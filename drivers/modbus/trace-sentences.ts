/** English parts of the description of a Modbus frame, and of a planned request, by their code; names of functions and exceptions are those of the standard. */
export const MODBUS_TRACE_SENTENCES = {
  TRACE_UNIT: 'unit {unit}: {function}',
  TRACE_UNIT_OTHER_FUNCTION: 'unit {unit}: function {code}',
  TRACE_TRANSACTION: 'transaction {transaction}, unit {unit}: {function}',
  TRACE_TRANSACTION_OTHER_FUNCTION: 'transaction {transaction}, unit {unit}: function {code}',
  TRACE_OFFSET: 'offset {offset}',
  TRACE_QUANTITY: 'quantity {quantity}',
  TRACE_ON: 'on',
  TRACE_OFF: 'off',
  TRACE_VALUE: 'value {value}',
  TRACE_VALUES: 'values {values}',
  TRACE_VALUES_AND_MORE: 'values {values} and {more} more',
  TRACE_BITS: 'bits {bits}',
  TRACE_EXCEPTION: 'exception {exception} {name}',
  TRACE_OTHER_EXCEPTION: 'exception {exception}',
  PLANNED_ENTRIES: 'unit {unit} {table} {range}',
  PLANNED_RECORDS: 'unit {unit} {table} file {file}, {range}',
} as const;
