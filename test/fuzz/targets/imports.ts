import { CommandError } from '../../../daemon/cli/command-error.ts';
import type { Imported } from '../../../daemon/cli/import/imported.ts';
import { convertKepwareTags } from '../../../daemon/cli/import/kepware-tags.ts';
import { convertKuraSheet } from '../../../daemon/cli/import/kura-sheet.ts';
import { convertKuraSnapshot } from '../../../daemon/cli/import/kura-snapshot.ts';
import { convertNeuronExport } from '../../../daemon/cli/import/neuron-export.ts';
import { checkImported, checkRows } from '../../support/import-promises.ts';
import { attempt, show } from '../fuzz-target.ts';
import type { FuzzTarget } from '../fuzz-target.ts';

const TARGET = { asset: 'boiler', driver: 'line1' } as const;

function convert(action: () => Imported, check: (imported: Imported) => void): string {
  const outcome = attempt([CommandError], action);
  if ('value' in outcome) check(outcome.value);
  return show(outcome);
}

const kura: FuzzTarget = {
  name: 'import-kura',
  seeds: [
    '<configurations><configuration pid="l"><properties><property name="service.factoryPid"><value>org.eclipse.kura.driver.modbus</value></property><property name="modbus.tcp-udp.ip"><value>h</value></property></properties></configuration><configuration pid="a"><properties><property name="driver.pid"><value>l</value></property><property name="c#primary.table"><value>COILS</value></property><property name="c#memory.address"><value>4</value></property></properties></configuration></configurations>',
    '<esf:configurations xmlns:esf="x"><esf:configuration pid="o"><esf:properties><esf:property name="service.factoryPid"><esf:value>x.driver.opcua</esf:value></esf:property><esf:property name="endpoint.ip"><esf:value>h</esf:value></esf:property><esf:property name="endpoint.port"><esf:value>4840</esf:value></esf:property></esf:properties></esf:configuration></esf:configurations>',
    'name,type,value.type,scale,offset,unit.id,primary.table,memory.address,data.order,data.type\r\nflow,READ,FLOAT,0.1,2,1,HOLDING_REGISTERS,7,LITTLE_ENDIAN,FLOAT\r\n',
    'name;type;value.type;node.id;node.namespace.index;node.id.type;opcua.type\nx;READ/WRITE;INTEGER;5;2;NUMERIC;INT32\n',
  ],
  words: [
    '<value>',
    '</value>',
    '<property name="',
    '"/>',
    ' pid="',
    'encrypted="true"',
    '&#x41;',
    '<![CDATA[',
    'service.factoryPid',
    'driver.pid',
    'primary.table',
    'HOLDING_REGISTERS',
    'data.type',
    'constructor',
    '__proto__',
    'READ_WRITE',
    ';',
    ',',
    '"',
    '\n',
    '#',
    '1e9',
  ],
  run(input) {
    const text = input.toString('utf8');
    const snapshot = convert(() => convertKuraSnapshot(text), checkImported);
    const sheets = (['modbus', 'opcua'] as const).map((type) =>
      convert(
        () => convertKuraSheet(text, { ...TARGET, type }),
        (imported) => {
          checkImported(imported, TARGET.driver);
          checkRows(text, imported);
        },
      ),
    );
    return [snapshot, ...sheets].join('\n');
  },
};

const kepware: FuzzTarget = {
  name: 'import-kepware',
  seeds: [
    'Tag Name,Address,Data Type,Client Access,Scan Rate,Scaling,Raw Low,Raw High,Scaled Low,Scaled High,Scaled Data Type,Clamp Low,Clamp High,Eng Units,Description,Negate Value\r\n"a","400001",Word,R/W,100,Linear,0,1000,0,100,Double,0,0,m,d,0\r\n',
    'Tag Name;Address;Data Type\nb;400003.20H;String\nc;40005[4];Float Array\nd;000001;Boolean\ne;400020.5;Boolean\n',
    'Tag Name,Address,Data Type\nf,ns=2;s=x,Double\n',
  ],
  words: [
    '400001',
    '[4]',
    '.5',
    'H',
    ' Array',
    'Word',
    'LLong',
    'Boolean',
    'constructor',
    '__proto__',
    'Linear',
    'Square Root',
    'ns=2;i=5',
    'Address',
    ',',
    ';',
    '"',
    '\n',
    '1e400',
  ],
  run(input) {
    const text = input.toString('utf8');
    return (['modbus', 'opcua'] as const)
      .map((type) =>
        convert(
          () =>
            convertKepwareTags(
              text,
              { ...TARGET, type },
              { unitId: 1, addressBase: 1, isLowWordFirst: true },
            ),
          (imported) => {
            checkImported(imported, TARGET.driver);
            checkRows(text, imported);
          },
        ),
      )
      .join('\n');
  },
};

const neuron: FuzzTarget = {
  name: 'import-neuron',
  seeds: [
    '{"nodes":[{"plugin":"Modbus TCP","name":"m"}],"groups":[{"driver":"m","group":"g","interval":100}],"tags":[{"driver":"m","group":"g","tags":[{"type":3,"name":"t","attribute":3,"decimal":0.1,"address":"1!400008"}]}],"settings":[{"node":"m","params":{"host":"h","port":502,"timeout":3000}}]}',
    '{"nodes":[{"name":"o","plugin":"OPC UA","params":{"url":"opc.tcp://h"},"groups":[{"group":"g","interval":1,"tags":[{"name":"t","type":9,"address":"2!x"}]}]}]}',
    '{"nodes":[{"name":"r","plugin":"Modbus RTU","params":{"device":"/dev/ttyS0","baud":4},"groups":[{"group":"g","tags":[{"name":"t","type":13,"address":"1!400001.20H"},{"name":"u","type":5,"address":"1!400001#BB"}]}]}]}',
  ],
  words: [
    '"nodes":',
    '"tags":',
    '"groups":',
    '"params":',
    '"address":',
    '"1!400001"',
    '#LB',
    '.5',
    'constructor',
    '__proto__',
    'Modbus TCP',
    'OPC UA',
    '[',
    ']',
    '{',
    '}',
    ',',
    '"',
    'null',
    '-1',
    '1e400',
  ],
  run(input) {
    return convert(() => convertNeuronExport(input.toString('utf8')), checkImported);
  },
};

/** What other products have exported. */
export const IMPORTS: readonly FuzzTarget[] = [kura, kepware, neuron];
