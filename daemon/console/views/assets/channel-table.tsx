import type { ComponentChildren, JSX } from 'preact';

import { useConsole } from '../../api/console-context.ts';
import { hasPin } from '../../live/personal-settings.ts';
import { AlignedNumber } from '../../parts/aligned-number.tsx';
import type { Column } from '../../parts/grid/grid-row.tsx';
import { Grid } from '../../parts/grid/grid.tsx';
import { OutlineWord } from '../../parts/outline.tsx';
import { RowAction } from '../../parts/row-action.tsx';
import { goTo, linkTo, setQuery } from '../../parts/route.ts';
import { StateWord } from '../../parts/state-word.tsx';
import { ASSETS } from '../../text/assets.ts';
import { fill } from '../../text/fill.ts';
import type { Sorting } from './channel-order.ts';
import { ageOf, causeOf, decimalsOf, exactOf, qualityOf, toneOf, unitOf, valueOf } from './channel-row.ts';
import type { ChannelRow } from './channel-row.ts';
import { Sparkline } from './sparkline.tsx';
import { hasSteps } from './sparkline-path.ts';

interface ChannelTableProps {
  readonly pid: string;
  readonly rows: readonly ChannelRow[];
  /** Maximum decimals of all channels. */
  readonly widest: number;
  readonly sorting: Sorting;
  readonly onWrite: (channel: string) => void;
  /** Adds a channel to the overview, or removes it. */
  readonly onPin: (channel: string) => void;
  /** Connection whose registers can be decoded; undefined: none. */
  readonly decodedBy: string | undefined;
  /** Returns who wrote a channel last; empty: unknown. */
  readonly describeLastWrite: (channel: string) => string;
  readonly empty: ComponentChildren;
}

// Duration of the change highlight.
const FLASH_MS = 600;

/** Channels of an asset with live values. */
export function ChannelTable(props: ChannelTableProps): JSX.Element {
  const { pid, rows, widest, sorting, onWrite, onPin, decodedBy, describeLastWrite, empty } = props;
  const { rest } = useConsole();
  const open = ({ channel }: ChannelRow): void => {
    if (channel.type !== 'READ' && channel.isEnabled) onWrite(channel.name);
  };
  return (
    <Grid
      label="channels"
      columns={columnsOf({ pid, sorting, widest, open, onPin, decodedBy, gatewayNowMs: rest.gatewayNowMs() })}
      rows={rows}
      keyOf={({ channel }) => channel.name}
      onOpen={open}
      onKey={(key, row) => {
        if (key === 'w') open(row);
        else if (key === 't') goTo(...trendOf(pid, row));
        else return false;
        return true;
      }}
      describe={(row) =>
        [describeRow(row), describeLastWrite(row.channel.name)].filter((text) => text !== '').join(' · ')
      }
      empty={empty}
    />
  );
}

/** Row content that does not fit into its cells. */
function describeRow(row: ChannelRow): string {
  const { channel } = row;
  const name = channel.displayName ?? channel.name;
  if (toneOf(row) === 'fault') return `${name}: ${causeOf(row)}`;
  return channel.valueType === 'STRING' ? `${name}: ${valueOf(row)}` : '';
}

function trendOf(pid: string, { channel }: ChannelRow): Parameters<typeof goTo> {
  return [['trends'], { c: `${pid}/${channel.name}` }];
}

const NEXT_SORTING = { '': 'value', value: '-value', '-value': '' } as const;
const DIRECTIONS = { '': 'none', value: 'ascending', '-value': 'descending' } as const;

interface ColumnParts extends Pick<ChannelTableProps, 'pid' | 'sorting' | 'widest' | 'onPin' | 'decodedBy'> {
  readonly gatewayNowMs: number;
  readonly open: (row: ChannelRow) => void;
}

function columnsOf({
  pid,
  sorting,
  widest,
  gatewayNowMs,
  open,
  onPin,
  decodedBy,
}: ColumnParts): readonly Column<ChannelRow>[] {
  return [
    {
      key: 'name',
      title: fill(ASSETS.name),
      render: ({ channel }) => {
        const name = channel.displayName ?? channel.name;
        return channel.description === undefined ? name : <span title={channel.description}>{name}</span>;
      },
    },
    {
      key: 'value',
      title: fill(ASSETS.value),
      isNumber: true,
      sorting: {
        direction: DIRECTIONS[sorting],
        onSort: () => setQuery('sort', NEXT_SORTING[sorting]),
      },
      copy: exactOf,
      render: (row) => {
        const { channel, live } = row;
        if (row.state === 'LOADING') return <OutlineWord />;
        const isFlashing = live !== undefined && Date.now() - live.changedMs < FLASH_MS;
        const look = `${toneOf(row) === 'good' ? '' : 'soft'} ${isFlashing ? 'flash' : ''}`;
        return (
          <AlignedNumber
            class={look}
            text={valueOf(row)}
            exact={exactOf(row)}
            decimals={decimalsOf(channel)}
            widest={widest}
          />
        );
      },
    },
    {
      key: 'unit',
      title: fill(ASSETS.unit),
      look: 'soft',
      render: (row) => unitOf(row),
    },
    {
      key: 'quality',
      title: fill(ASSETS.quality),
      look: 'faint',
      render: (row) => {
        if (row.state === 'LOADING') return <OutlineWord />;
        const [tone, quality] = [toneOf(row), qualityOf(row)];
        if (tone === 'good' || tone === 'none') return quality;
        return (
          <span title={quality}>
            <StateWord tone={tone} words={quality} />
          </span>
        );
      },
    },
    {
      key: 'age',
      title: fill(ASSETS.age),
      look: 'faint',
      render: (row) => (row.state === 'LOADING' ? <OutlineWord /> : ageOf(row, gatewayNowMs)),
    },
    {
      key: 'course',
      title: fill(ASSETS.lastMinutes),
      render: ({ channel, live }) => (
        <Sparkline history={live?.history} nowMs={Date.now()} isStepped={hasSteps(channel)} />
      ),
    },
    {
      key: 'action',
      title: fill(ASSETS.action),
      render: (row) => <Actions row={row} pid={pid} open={open} onPin={onPin} decodedBy={decodedBy} />,
    },
  ];
}

interface ActionsProps extends Pick<ColumnParts, 'pid' | 'open' | 'onPin' | 'decodedBy'> {
  readonly row: ChannelRow;
}

function Actions({ row, pid, open, onPin, decodedBy }: ActionsProps): JSX.Element {
  const { name, type, isEnabled } = row.channel;
  const isPinned = hasPin({ asset: pid, channel: name });
  return (
    <span class="row-actions">
      {decodedBy === undefined || row.state !== 'FAILED' ? undefined : (
        <RowAction
          isInGrid
          icon="decode"
          label={fill(ASSETS.decode)}
          href={linkTo(['devices', 'line', decodedBy], { asset: pid, channel: name })}
        />
      )}
      {type === 'READ' || !isEnabled ? undefined : (
        <RowAction isInGrid icon="write" label={fill(ASSETS.write)} onClick={() => open(row)} />
      )}
      {type === 'WRITE' ? undefined : (
        <>
          <RowAction isInGrid icon="trend" label={fill(ASSETS.trend)} href={linkTo(...trendOf(pid, row))} />
          <RowAction
            isInGrid
            icon="pin"
            label={fill(ASSETS.pin)}
            isPressed={isPinned}
            onClick={() => onPin(name)}
          />
        </>
      )}
    </span>
  );
}
