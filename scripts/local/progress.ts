/** Shows a line that counts up on a terminal, or one final line if the output goes to a file. */
export function showProgress(total: number): (indexed: number) => void {
  return (indexed) => {
    const line = `Indexed ${indexed} of ${total} documents`;
    if (process.stdout.isTTY) process.stdout.write(`\r${line}${indexed === total ? "\n" : ""}`);
    else if (indexed === total) console.log(line);
  };
}
