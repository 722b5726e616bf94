import type { ComponentChildren, JSX } from 'preact';

import type { ChannelHistory } from '../../live/history.ts';
import { Grid } from '../../parts/grid/grid.tsx';
import type { Column } from '../../parts/grid/grid.tsx';
import { goTo, linkTo } from '../../parts/route.ts';
import { StateWord } from '../../parts/state-word.tsx';
import { ASSETS } from '../../text/assets.ts';
import { fill } from '../../text/fill.ts';
import { formatUnit } from '../../text/format.ts';
import type { ChannelRow } from './channel-row.ts';
import { Sparkline } from './sparkline.tsx';

interface ChannelTableProps {
  readonly pid: string;
  readonly rows: readonly ChannelRow[];
  readonly historyOf: (channel: string) => ChannelHistory | undefined;
  readonly onWrite: (channel: string) => void;
  readonly empty: ComponentChildren;
}

// A change stays marked for so long.
const FLASH_MS = 600;

/** The channels of an asset with their live values. */
export function ChannelTable({ pid, rows, historyOf, onWrite, empty }: ChannelTableProps): JSX.Element {
  const open = ({ channel }: ChannelRow): void => {
    if (channel.type !== 'READ' && channel.isEnabled) onWrite(channel.name);
  };
  return (
    <Grid
      label="channels"
      columns={columnsOf({ pid, historyOf, open })}
      rows={rows}
      keyOf={({ channel }) => channel.name}
      onOpen={open}
      onKey={(key, row) => {
        if (key === 'w') open(row);
        if (key === 't') goTo(...trendOf(pid, row));
      }}
      empty={empty}
    />
  );
}

function trendOf(pid: string, { channel }: ChannelRow): Parameters<typeof goTo> {
  return [['trends'], { c: `${pid}/${channel.name}` }];
}

interface ColumnParts extends Pick<ChannelTableProps, 'pid' | 'historyOf'> {
  readonly open: (row: ChannelRow) => void;
}

function columnsOf({ pid, historyOf, open }: ColumnParts): readonly Column<ChannelRow>[] {
  return [
    {
      key: 'name',
      title: fill(ASSETS.name),
      render: ({ channel }) => <span title={channel.description}>{channel.displayName ?? channel.name}</span>,
    },
    {
      key: 'value',
      title: fill(ASSETS.value),
      isNumber: true,
      render: ({ value, exact, tone, live }) => {
        const isFlashing = live !== undefined && Date.now() - live.changedMs < FLASH_MS;
        return (
          <span class={`values ${tone === 'good' ? '' : 'soft'} ${isFlashing ? 'flash' : ''}`} title={exact}>
            {value}
          </span>
        );
      },
    },
    {
      key: 'unit',
      title: fill(ASSETS.unit),
      render: ({ channel, live }) => (
        <span class="soft">{formatUnit(channel.unit ?? live?.record.unit)}</span>
      ),
    },
    {
      key: 'quality',
      title: fill(ASSETS.quality),
      render: ({ tone, quality }) =>
        tone === 'good' || tone === 'none' ? (
          <span class="faint">{quality}</span>
        ) : (
          <span title={quality}>
            <StateWord tone={tone} words={quality} />
          </span>
        ),
    },
    { key: 'age', title: fill(ASSETS.age), render: ({ age }) => <span class="faint">{age}</span> },
    {
      key: 'course',
      title: fill(ASSETS.lastMinutes),
      render: ({ channel }) => (
        <Sparkline
          history={historyOf(channel.name)}
          nowMs={Date.now()}
          isStepped={channel.valueType !== 'FLOAT' && channel.valueType !== 'DOUBLE'}
        />
      ),
    },
    {
      key: 'action',
      title: fill(ASSETS.action),
      render: (row) => (
        <>
          {row.channel.type === 'WRITE' ? undefined : (
            <a class="to-trend" tabIndex={-1} href={linkTo(...trendOf(pid, row))}>
              {fill(ASSETS.trend)}
            </a>
          )}
          {row.channel.type === 'READ' || !row.channel.isEnabled ? undefined : (
            <button class="plain" type="button" tabIndex={-1} onClick={() => open(row)}>
              {fill(ASSETS.write)}
            </button>
          )}
        </>
      ),
    },
  ];
}
