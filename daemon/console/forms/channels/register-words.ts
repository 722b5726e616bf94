/** Patterns of the headings of register maps and tag lists, in English and German, with the field that they name. */
export const HEADINGS: readonly (readonly [pattern: RegExp, key: string])[] = [
  [
    /^(name|tag|tag ?name|signal|channel|kanal|parameter|bezeichnung|variable( ?name)?|messwert|symbol|field|content|purpose|designation|bedeutung|quantity|objektbezeichnung|signal ?name)$/,
    'name',
  ],
  [
    /^(addr(ess)?|adresse|register|register ?(no|number|nr|address|adresse)?\.?|reg|offset|start|start ?reg(ister)?|addr\.|modbus[ -]?add?resse?|dec(imal)?)$/,
    'address.offset',
  ],
  [/^(data ?type|datentyp|format|typ|type|datatype)$/, 'address.dataType'],
  [/^(scale|scaling|factor|faktor|skalierung|resolution|res\.?|auflösung)$/, 'valueScale'],
  // 10 is what the device has multiplied the value by.
  [/^(gain|multiplier)$/, 'multiplier'],
  [/^(divisor|divider|teiler)$/, 'divisor'],
  [/^(unit|units|einheit|eng\.? ?units?|dimension)$/, 'unit'],
  [/^(access|zugriff|r\/?w|rw|mode|read\/?write)$/, 'type'],
  [
    /^(table|function|function ?code|fc|registerart|register ?typ|register ?type|object ?type|tabelle)$/,
    'address.table',
  ],
  [/^(unit ?id|slave|slave ?id|device ?address|geräteadresse)$/, 'address.unitId'],
  [/^(description|beschreibung|comment|kommentar|remark|bemerkung|notes?)$/, 'description'],
  [
    /^(registers|words|size|length|len|number of registers|register ?count|count|no\.? of registers|anzahl( register)?|länge)$/,
    'registers',
  ],
  [/^(min|minimum)$/, 'write.minimum'],
  [/^(max|maximum)$/, 'write.maximum'],
  [/^(word ?order|wortfolge)$/, 'address.wordOrder'],
];

/** Patterns of the names that manuals give to data types, in lower case. */
export const DATA_TYPES: readonly (readonly [pattern: RegExp, type: string])[] = [
  [
    /^(u(nsigned )?(int|short)?_?16|uint|word|unsigned|ushort|unsigned int(eger)?|unsigned ?16( ?bit)?|16 ?bit unsigned|bit ?field|bit ?mask|enum(eration)?|hex_?16)$/,
    'UINT16',
  ],
  [
    /^((s(igned )?|i)(int|nt)?_?16|int|short|signed|sint16|integer|int16|signed ?16( ?bit)?|16 ?bit signed)$/,
    'INT16',
  ],
  [
    /^(u(nsigned )?(int|long)?_?32|dword|udint|ulong|unsigned long|uint32|unsigned ?32( ?bit)?|32 ?bit unsigned)$/,
    'UINT32',
  ],
  [
    /^((s(igned )?|i)(int|nt)?_?32|dint|long|signed long|sint32|int32|signed ?32( ?bit)?|32 ?bit signed)$/,
    'INT32',
  ],
  [/^(u(nsigned )?int_?64|uint64|u64|ulint|qword)$/, 'UINT64'],
  [/^((s(igned )?)?int_?64|s64|i64|lint)$/, 'INT64'],
  [/^(float_?(32)?|real|f32|single|ieee ?754|float ?ieee|real_?4)$/, 'FLOAT32'],
  [/^(float_?64|double|lreal|f64|real_?8)$/, 'FLOAT64'],
  [/^(bool(ean)?|bit)$/, 'BOOLEAN'],
  [/^(str$|string|ascii|char|text).*$/, 'STRING'],
];

/** Patterns of the names of Modbus tables, in lower case. */
export const TABLES: readonly (readonly [pattern: RegExp, table: string])[] = [
  [/^(0?x?0?3|holding.*|hr|4x+|halteregister)$/, 'HOLDING_REGISTERS'],
  [/^(0?x?0?4|input( ?reg.*)?|ir|3x+|eingangsregister)$/, 'INPUT_REGISTERS'],
  [/^(0?x?0?1|coils?|0x+|spulen?)$/, 'COILS'],
  [/^(0?x?0?2|discrete.*|di|1x+|input ?status)$/, 'DISCRETE_INPUTS'],
];
