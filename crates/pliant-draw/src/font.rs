//! A bitmap font for captions: printable ASCII, five pixels wide, seven high and one below the line.

use crate::image::Image;

/// Height of a line in font pixels.
pub(crate) const HEIGHT: usize = 8;
/// From one letter to the next in font pixels.
pub(crate) const ADVANCE: usize = 6;
/// Letters in a line of the drawing below.
const LETTERS_A_LINE: usize = 16;

/// The letters from the blank to the tilde as they look, sixteen side by side, eight rows each.
#[rustfmt::skip]
const DRAWING: [&str; 48] = [
    "        #    # #   # #    #   ##  #  ##     #      #   #                                      #",
    "        #    # #   # #   #### ##  # #  #    #     #     #     #     #                         #",
    "        #         ##### # #      #  #  #         #       #  # # #   #                        # ",
    "        #          # #   ###    #    ##          #       #   ###  #####       #####         #  ",
    "        #         #####   # #  #    # # #        #       #  # # #   #                      #   ",
    "                   # #  ####  #  ## #  #          #     #     #     #     ##         ##   #    ",
    "        #          # #    #   #  ##  ## #          #   #                  ##         ##   #    ",
    "                                                                         ##                    ",
    " ###    #    ###   ###     #  #####  ###  #####  ###   ###                 #         #     ### ",
    "#   #  ##   #   # #   #   ##  #     #         # #   # #   #  ##    ##     #           #   #   #",
    "#  ##   #       #     #  # #  ####  #        #  #   # #   #  ##    ##    #    #####    #      #",
    "# # #   #     ##    ##  #  #      # ####     #   ###   ####             #               #   ## ",
    "##  #   #    #        # #####     # #   #   #   #   #     #  ##    ##    #    #####    #    #  ",
    "#   #   #   #     #   #    #  #   # #   #   #   #   #     #  ##    ##     #           #        ",
    " ###   ###  #####  ###     #   ###   ###    #    ###   ###         #       #         #      #  ",
    "                                                                                               ",
    " ###   ###  ####   ###  ###   ##### #####  ###  #   #  ###    ### #   # #     #   # #   #  ### ",
    "#   # #   # #   # #   # #  #  #     #     #   # #   #   #      #  #  #  #     ## ## ##  # #   #",
    "# ### #   # #   # #     #   # #     #     #     #   #   #      #  # #   #     # # # # # # #   #",
    "# # # ##### ####  #     #   # ####  ####  # ### #####   #      #  ##    #     # # # # # # #   #",
    "# ##  #   # #   # #     #   # #     #     #   # #   #   #      #  # #   #     #   # #  ## #   #",
    "#     #   # #   # #   # #  #  #     #     #   # #   #   #   #  #  #  #  #     #   # #   # #   #",
    " #### #   # ####   ###  ###   ##### #      ###  #   #  ###   ##   #   # ##### #   # #   #  ### ",
    "                                                                                               ",
    "####   ###  ####   #### ##### #   # #   # #   # #   # #   # #####  ###  #      ###    #        ",
    "#   # #   # #   # #       #   #   # #   # #   # #   # #   #     #  #    #        #   # #       ",
    "#   # #   # #   # #       #   #   # #   # #   #  # #   # #     #   #     #       #  #   #      ",
    "####  #   # ####   ###    #   #   # #   # # # #   #     #     #    #      #      #             ",
    "#     # # # # #       #   #   #   #  # #  # # #  # #    #    #     #       #     #             ",
    "#     #  #  #  #      #   #   #   #  # #  ## ## #   #   #   #      #        #    #             ",
    "#      ## # #   # ####    #    ###    #   #   # #   #   #   #####  ###      #  ###        #####",
    "                                                                                               ",
    " #          #               #         ##        #       #      #  #      ##                    ",
    "  #         #               #        #          #                 #       #                    ",
    "       ###  ####   ####  ####  ###  ####   #### ####   ##     ##  #  #    #   ## #  ####   ### ",
    "          # #   # #     #   # #   #  #    #   # #   #   #      #  # #     #   # # # #   # #   #",
    "       #### #   # #     #   # #####  #    #   # #   #   #      #  ##      #   # # # #   # #   #",
    "      #   # #   # #     #   # #      #     #### #   #   #      #  # #     #   # # # #   # #   #",
    "       #### ####   ####  ####  ###   #        # #   #  ###  #  #  #  #   ###  # # # #   #  ### ",
    "                                           ###               ##                                ",
    "                         #                                           ##   #   ##               ",
    "                         #                                          #     #     #              ",
    "####   #### # ##   #### ####  #   # #   # #   # #   # #   # #####   #     #     #    #  #      ",
    "#   # #   # ##  # #      #    #   # #   # # # #  # #  #   #    #   #      #      #  # ##       ",
    "#   # #   # #      ###   #    #   # #   # # # #   #   #   #   #     #     #     #              ",
    "####   #### #         #  #    #   #  # #  # # #  # #   ####  #      #     #     #              ",
    "#         # #     ####    ##   ####   #    # #  #   #     # #####    ##   #   ##               ",
    "#         #                                            ###                                     ",
];

/// Whether a letter has ink at a font pixel. Letters that the font lacks show as a question mark.
fn has_ink(letter: char, x: usize, y: usize) -> bool {
    let letter = if (' '..='~').contains(&letter) {
        letter
    } else {
        '?'
    };
    let index = letter as usize - ' ' as usize;
    let row = DRAWING[index / LETTERS_A_LINE * HEIGHT + y].as_bytes();
    row.get(index % LETTERS_A_LINE * ADVANCE + x) == Some(&b'#')
}

/// Writes a line of text with its upper left corner at (`x`, `y`), each font pixel `scale` wide; what does not fit is cut.
pub(crate) fn write(
    image: &mut Image,
    text: &str,
    x: usize,
    y: usize,
    scale: usize,
    color: [u8; 3],
) {
    let scale = scale.max(1);
    for (i, letter) in text.chars().enumerate() {
        for dy in 0..HEIGHT * scale {
            for dx in 0..(ADVANCE - 1) * scale {
                let (px, py) = (x + i * ADVANCE * scale + dx, y + dy);
                if px < image.width && py < image.height && has_ink(letter, dx / scale, dy / scale)
                {
                    image.pixels[py * image.width + px] = color;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every printable letter but the blank has ink, and no two look the same.
    #[test]
    fn letters_differ() {
        let pictures: Vec<Vec<bool>> = (' '..='~')
            .map(|c| {
                (0..HEIGHT * (ADVANCE - 1))
                    .map(|i| has_ink(c, i % (ADVANCE - 1), i / (ADVANCE - 1)))
                    .collect()
            })
            .collect();
        for (i, a) in pictures.iter().enumerate() {
            assert_eq!(a.iter().any(|&ink| ink), i > 0);
            assert!(!pictures[..i].contains(a));
        }
    }
}
