for (const box of document.querySelectorAll(".command")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.setAttribute("aria-label", "Copy this command");
  const tell = (word) => { button.textContent = word; setTimeout(() => { button.textContent = "Copy"; }, 2000); };
  button.addEventListener("click", async () => {
    const code = box.querySelector("code");
    try {
      await navigator.clipboard.writeText(code.textContent);
      tell("Copied");
    } catch (refused) {
      getSelection().selectAllChildren(code);
      tell("Press Ctrl+C");
    }
  });
  box.classList.add("copies");
  box.append(button);
}
