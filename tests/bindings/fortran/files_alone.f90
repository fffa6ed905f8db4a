! SPDX-License-Identifier: BSD-3-Clause
! files_alone FOLDER: written on two devices of one process, restored on three. Makes the folder anew.
program files_alone
  use file_cases
  implicit none
  type(halocline_domain) :: domain
  character(1000) :: folder
  logical :: can
  integer :: u
  call get_command_argument(1, folder)
  call execute_command_line('rm -rf "' // trim(folder) // '" && mkdir -p "' // trim(folder) // '"')
  call make(domain, u, 2)
  call check_images(domain, u, trim(folder))
  can = write_checkpoints(domain, u, trim(folder) // '/saved')
  call domain%close()
  if (can) then
    call make(domain, u, 3)
    call restore_checkpoint(domain, u, trim(folder) // '/saved')
    call domain%close()
  end if
  print '(a, i0)', 'cases passed: ', passed
end program
