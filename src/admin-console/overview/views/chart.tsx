import { DataTable } from "#pages/views/console-layout.tsx";
import { t } from "#pages/views/console-frame.ts";
import { grouped } from "#pages/views/count.ts";
import { dayOf } from "#pages/views/time.tsx";

/** The count of one day. */
interface Counted {
  /** The start of the day, in epoch seconds. */
  readonly at: number;
  readonly value: number;
}

const HEIGHT = 40;
const WIDTH = 10;

/** A bar chart by day, with values on hover, and a table of the same numbers, which screen readers read instead. */
export function Chart({ values, what }: { readonly values: readonly Counted[]; readonly what: string }) {
  const top = niceTop(Math.max(...values.map(({ value }) => value), 1));
  const [first] = values;
  return (
    <figure class="chart">
      <div class="plot" aria-hidden="true">
        <span class="scale">
          <span>{grouped(top)}</span>
          {top % 2 === 0 ? <span>{grouped(top / 2)}</span> : null}
          <span>0</span>
        </span>
        <svg viewBox={`0 0 ${values.length * WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
          <line x1={0} x2={values.length * WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} />
          {values.map(({ at, value }, index) => {
            const height = value === 0 ? 0 : Math.max((value / top) * HEIGHT, 1.5);
            return (
              <g>
                <title>{`${dayOf(at)}: ${grouped(value)} ${what}`}</title>
                <rect class="column" x={index * WIDTH} y={0} width={WIDTH} height={HEIGHT} />
                <rect x={index * WIDTH + 1} y={HEIGHT - height} width={WIDTH - 2} height={height} />
              </g>
            );
          })}
        </svg>
        <span class="days">
          <span>{first === undefined ? "" : dayOf(first.at)}</span>
          <span>{t`today`}</span>
        </span>
      </div>
      <details>
        <summary>{t`${values.reduce((sum, { value }) => sum + value, 0)} ${what} in ${values.length} days: numbers by day`}</summary>
        <DataTable
          caption={t`${what} by day`}
          headings={[t`Day`, what]}
          rows={values.toReversed().map(({ at, value }) => [dayOf(at), grouped(value)])}
          empty={t`No days.`}
        />
      </details>
    </figure>
  );
}

/** Returns the end of the axis: the next number that begins with 1, 2 or 5 and has only zeros after it. */
function niceTop(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 5, 10].map((digit) => digit * power).find((top) => top >= most) ?? most;
}
