"use strict";
for (const box of document.querySelectorAll(".copy")) {
  const code = box.querySelector("code");
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    let done = false;
    try {
      await navigator.clipboard.writeText(code.textContent);
      done = true;
    } catch {
      // No clipboard on plain http: select it, so that one key copies it.
      getSelection().selectAllChildren(code);
      done = document.execCommand("copy");
    }
    button.textContent = done ? "Copied" : "Selected";
    document.getElementById("said").textContent = button.textContent;
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  box.append(button);
}
