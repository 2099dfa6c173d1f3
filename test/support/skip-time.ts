/** Both clocks of this process go ahead by that much at once, until it is disposed of; timers do not notice. */
export function skipTime(milliseconds: number): Disposable {
  const [now, date] = [performance.now, Date.now];
  performance.now = () => now.call(performance) + milliseconds;
  Date.now = () => date() + milliseconds;
  return {
    [Symbol.dispose]: () => {
      performance.now = now;
      Date.now = date;
    },
  };
}
